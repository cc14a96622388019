//===- TellingKeys.cpp - Keys of a config.json that show parts of a model ---------------------===//
#include "frontend/import/huggingface/TellingKeys.h"
#include "frontend/import/Misspelt.h"
#include "frontend/import/settings/Names.h"
#include "support/Near.h"
#include "support/Utf8.h"
#include "support/diagnostics/Imports.h"
#include "llvm/ADT/STLExtras.h"

using namespace dpl;
using namespace dpl::imports;

namespace {

struct KeyPart {
  const char *inKey, *name;
};

constexpr const char* experts = "routed experts";

/// Substrings of keys, and the part of a model that a key with such a substring shows.
constexpr KeyPart parts[] = {
    {"expert", experts},
    {"moe", experts},
    {"indexer", "an indexer that chooses tokens"},
    {"index_topk", "an indexer that chooses tokens"},
    {"index_n_heads", "an indexer that chooses tokens"},
    {"index_head_dim", "an indexer that chooses tokens"},
    {"sparse_att", "sparse attention"},
    {"compress_ratio", "compressed attention"},
    {"mamba", "a state space"},
    {"ssm", "a state space"},
    {"d_state", "a state space"},
    {"state_size", "a state space"},
    {"d_conv", "a state space"},
    {"conv_kernel", "convolutions"},
    {"conv_l_cache", "convolutions"},
    {"rwkv", "a recurrence"},
    {"recurrent", "a recurrence"},
    {"lru_width", "a recurrence"},
    {"linear_att", "linear attention"},
    {"linear_num", "linear attention"},
    {"linear_key", "linear attention"},
    {"linear_value", "linear attention"},
    {"linear_conv", "linear attention"},
    {"lightning", "linear attention"},
    {"delta_rule", "linear attention"},
    {"deltanet", "linear attention"},
    {"kda", "linear attention"},
    {"hybrid", "layers of several kinds"},
    {"layers_block_type", "layers of several kinds"},
    {"block_types", "layers of several kinds"},
    {"layer_types", "layers of several kinds"},
    {"layer_pattern", "layers of several kinds"},
    {"attn_type_list", "layers of several kinds"},
    {"attn_layer_", "layers of several kinds"},
    {"full_attention_interval", "layers of several kinds"},
    {"full_attn", "layers of several kinds"},
    {"cross_attention_layers", "layers of several kinds"},
    {"kv_shared_layers", "layers that share keys and values"},
    {"per_layer", "layers with parts of their own"},
};

/// Keys of experts that set how they are trained, run or stored, but not their count or size.
constexpr const char* trains[] = {
    "aux_loss", "z_loss",   "jitter",  "router_logits",  "norm_",
    "capacity", "parallel", "backend", "implementation", "grouped_gemm",
    "dtype",    "dropout",  "scaling", "score",          "correction",
    "weight",   "eps",      "gate",    "force",          "load_balanc"};

bool hasOneOf(llvm::StringRef key, llvm::ArrayRef<const char*> words) {
  return llvm::any_of(words, [&](const char* word) { return key.contains(word); });
}

const char* partOf(llvm::StringRef key) {
  const std::string small = key.lower();
  const auto* const row = llvm::find_if(
      parts, [&](const KeyPart& p) { return llvm::StringRef(small).contains(p.inKey); });
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
    // A single expert for all tokens is a dense layer.
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
  // Keys that differ by three letters mean different things: `ffn_config` and `llm_config`.
  constexpr unsigned most = 2;
  const bool inner = key.contains('.');
  llvm::erase_if(meant, [&](const std::string& other) {
    return (inner && !settings::sameTable(key, other)) ||
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
