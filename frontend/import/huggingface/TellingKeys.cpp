//===- TellingKeys.cpp - Keys of a config.json that show parts of a model ---------------------===//
#include "frontend/import/huggingface/TellingKeys.h"
#include "frontend/import/Misspelt.h"
#include "frontend/import/SettingPath.h"
#include "support/Near.h"
#include "support/Utf8.h"
#include "support/WordTable.h"
#include "support/diagnostics/Imports.h"
#include "llvm/ADT/STLExtras.h"

using namespace dpl;
using namespace dpl::imports;

namespace {

/// A part of a model, and substrings of the keys that indicate it.
struct KeyPart {
  const char* name;
  WordTable inKey;
};

constexpr const char* experts = "routed experts";

/// Parts of keys about how experts are trained, run or stored, not about their number or size.
constexpr const char* trains[] = {
    "aux_loss", "z_loss",   "jitter",  "router_logits",  "norm_",
    "capacity", "parallel", "backend", "implementation", "grouped_gemm",
    "dtype",    "dropout",  "scaling", "score",          "correction",
    "weight",   "eps",      "gate",    "force",          "load_balanc"};

template <class Words> bool hasOneOf(llvm::StringRef key, const Words& words) {
  return llvm::any_of(words, [&](llvm::StringRef word) { return key.contains(word); });
}

const char* partOf(llvm::StringRef key) {
  static const KeyPart parts[] = {
      {experts, WordTable("expert moe")},
      {"an indexer that chooses tokens",
       WordTable("indexer index_topk index_n_heads index_head_dim")},
      {"sparse attention", WordTable("sparse_att")},
      {"compressed attention", WordTable("compress_ratio")},
      {"a state space", WordTable("mamba ssm d_state state_size d_conv")},
      {"convolutions", WordTable("conv_kernel conv_l_cache")},
      {"a recurrence", WordTable("rwkv recurrent lru_width")},
      {"linear attention", WordTable("linear_att linear_num linear_key linear_value linear_conv "
                                     "lightning delta_rule deltanet kda")},
      {"layers of several kinds",
       WordTable("hybrid layers_block_type block_types layer_types layer_pattern attn_type_list "
                 "attn_layer_ full_attention_interval full_attn cross_attention_layers")},
      {"layers that share keys and values", WordTable("kv_shared_layers")},
      {"layers with parts of their own", WordTable("per_layer")},
  };
  const std::string small = key.lower();
  const auto* const row =
      llvm::find_if(parts, [&](const KeyPart& part) { return hasOneOf(small, part.inKey); });
  return row == std::end(parts) ? nullptr : row->name;
}

} // namespace

std::vector<TellingKey> dpl::imports::tellingKeys(const JsonConfig& config, const Architecture& a) {
  std::vector<TellingKey> out;
  for (const auto& [key, theirs] : config.unread()) {
    const char* part = partOf(theirs);
    if (!part || config.isNothing(key))
      continue;
    const std::string value = config.shown(key);
    const bool size = value.find_first_of("0123456789[") == 0;
    // One expert for all tokens is a dense layer.
    const bool counts = a.experts ? size : value != "1";
    if (llvm::StringRef(part) == experts && (hasOneOf(theirs, trains) || !counts))
      continue;
    out.push_back({theirs, part});
  }
  return out;
}

std::vector<std::string> dpl::imports::absentKeys(const JsonConfig& config, const Architecture& a) {
  std::vector<std::string> absent;
  for (const RenamedKey& name : a.renamed)
    if (!config.has(name.ours))
      absent.emplace_back(name.theirs);
  const std::vector<std::string> asked = config.absent();
  absent.insert(absent.begin(), asked.begin(), asked.end());
  return absent;
}

std::vector<std::string> dpl::imports::meantKeys(llvm::StringRef key,
                                                 llvm::ArrayRef<std::string> absent) {
  std::vector<std::string> meant = misspelt(key, absent);
  // Keys that differ by three letters may have different meanings, as `ffn_config` and `llm_config`
  // have.
  constexpr unsigned most = 2;
  const bool inner = key.contains('.');
  llvm::erase_if(meant, [&](const std::string& other) {
    return (inner && !sameTable(key, other)) ||
           spellingDistance(key.lower(), llvm::StringRef(other).lower(), most) > most;
  });
  return meant;
}

void dpl::imports::warnOfMisspeltKeys(const JsonConfig& config, const Architecture& a) {
  std::vector<std::string> keys = config.innerKeys();
  llvm::erase_if(keys, [&](llvm::StringRef key) {
    return llvm::any_of(a.renamed, [&](const RenamedKey& name) { return key == name.theirs; });
  });
  for (const auto& [key, theirs] : config.unread())
    keys.push_back(theirs);
  const std::vector<std::string> absent = absentKeys(config, a);
  for (const std::string& key : keys)
    if (const std::vector<std::string> meant = meantKeys(key, absent); !meant.empty())
      (void)config.warn<diag::MisspeltArchitectureKey>(key, oneLine(key), a.type)
          .help(didYouMean(meant, ""));
}
