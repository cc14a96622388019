//===- Origins.cpp - The option of an imported file that causes an error of its plan ----------===//
#include "imports/Origins.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <fmt/format.h>
#include <vector>

using namespace dpl;
using namespace dpl::imports;

namespace {

/// The options and settings that may cause an error of the plan, the likeliest first. `words` has
/// the names of all kinds of files, which do not overlap.
struct Row {
  const char* code;
  std::vector<const char*> words;
  const char* says = nullptr; ///< replaces the message up to its colon, which names fields
  const char* megatron = "";  ///< help that names options of Megatron-LM or settings of NeMo
};

const std::vector<Row>& rows() {
  static const std::vector<const char*> experts{
      "--expert-model-parallel-size", "--expert-tensor-parallel-size", "expert_model_parallel_size",
      "expert_parallel_degree", "autoep_size"};
  static const std::vector<const char*> batch{
      "--global-batch-size", "--micro-batch-size",
      "global_batch_size",   "micro_batch_size",
      "local_batch_size",    "batch_size",
      "train_batch_size",    "train_micro_batch_size_per_gpu"};
  static const std::vector<Row> all{
      {"DPL0303", experts, "the expert degrees leave no whole number of data ranks",
       "the processes of a pipeline stage are a multiple of expert × expert tensor parallel size"},
      {"DPL0306", experts, nullptr, ""},
      {"DPL0331", experts, nullptr, ""},
      {"DPL0309",
       {"--num-experts", "--expert-model-parallel-size", "num_moe_experts",
        "expert_model_parallel_size", "expert_parallel_degree", "autoep_size"}},
      {"DPL0310", {"--moe-router-topk", "moe_router_topk"}},
      {"DPL0311",
       {"--tensor-model-parallel-size", "--num-attention-heads", "tensor_model_parallel_size",
        "tensor_parallel_degree", "autotp_size"}},
      {"DPL0312",
       {"--num-query-groups", "--tensor-model-parallel-size", "num_query_groups",
        "tensor_model_parallel_size", "tensor_parallel_degree", "autotp_size"}},
      {"DPL0313", {"--num-query-groups", "num_query_groups"}},
      {"DPL0314",
       {"--moe-ffn-hidden-size", "--ffn-hidden-size", "--tensor-model-parallel-size",
        "ffn_hidden_size", "tensor_model_parallel_size", "tensor_parallel_degree"}},
      {"DPL0315",
       {"--context-parallel-size", "--seq-length", "context_parallel_size",
        "context_parallel_degree", "sequence_parallel_size"}},
      {"DPL0316",
       {"--sequence-parallel", "--seq-length", "sequence_parallel", "seq_len",
        "encoder_seq_length"}},
      {"DPL0318", batch},
      {"DPL0320",
       {"--num-layers", "--pipeline-model-parallel-size", "num_layers",
        "pipeline_model_parallel_size", "pipeline_parallel_degree"},
       nullptr,
       "`--decoder-first-pipeline-num-layers`, `--decoder-last-pipeline-num-layers` or "
       "`--pipeline-model-parallel-layout` place them unevenly"},
      {"DPL0325", batch},
      {"DPL0361",
       {"--microbatch-group-size-per-virtual-pipeline-stage", "microbatch_group_size_per_vp_stage",
        "--global-batch-size", "global_batch_size"}},
      {"DPL0337", {"--fp8-format", "--fp4-format", "--bf16", "fp8", "converters", "precision"}},
  };
  return all;
}

bool ofName(char c) { return llvm::isAlnum(c) || c == '_' || c == '-'; }

/// The first place outside of comments where the word stands as a whole name.
std::optional<SourceRange> placeOf(llvm::StringRef word, llvm::StringRef text, std::uint32_t file) {
  for (std::size_t at = 0; (at = text.find(word, at)) != llvm::StringRef::npos; ++at) {
    const std::size_t end = at + word.size();
    const llvm::StringRef line = text.slice(text.rfind('\n', at) + 1, at);
    if ((at == 0 || !ofName(text[at - 1])) && (end == text.size() || !ofName(text[end])) &&
        !line.ltrim().startswith("#"))
      return SourceRange{file, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end)};
  }
  return std::nullopt;
}

} // namespace

SourceRange dpl::imports::writtenAt(llvm::StringRef option, SourceRange at,
                                    const SourceManager& sources, std::uint32_t file) {
  if (sources.text(at.file).slice(at.begin, at.end).contains(option))
    return at;
  return placeOf(option, sources.text(file), file).value_or(at);
}

std::optional<Origin> dpl::imports::originOf(const Diagnostic& error, llvm::StringRef kind,
                                             const SourceManager& sources, std::uint32_t file) {
  const auto row = llvm::find_if(
      rows(), [&](const Row& r) { return llvm::StringRef(r.code) == error.info.code; });
  if (row == rows().end())
    return std::nullopt;
  for (const char* word : row->words)
    if (const auto at = placeOf(word, sources.text(file), file)) {
      Origin out{*at, error.message, kind == "megatron" || kind == "nemo" ? row->megatron : ""};
      if (const std::size_t colon = out.message.rfind(": ");
          row->says && colon != std::string::npos)
        out.message = row->says + out.message.substr(colon);
      return out;
    }
  return std::nullopt;
}

std::optional<SourceRange> dpl::imports::placeOfField(llvm::StringRef field,
                                                      const SourceManager& sources,
                                                      std::uint32_t file) {
  using Words = std::vector<const char*>;
  static const std::pair<const char*, Words> fields[]{
      {"pipeline",
       {"--pipeline-model-parallel-size", "pipeline_model_parallel_size",
        "pipeline_parallel_degree"}},
      {"tensor",
       {"--tensor-model-parallel-size", "tensor_model_parallel_size", "tensor_parallel_degree"}},
      {"context", {"--context-parallel-size", "context_parallel_size", "context_parallel_degree"}},
      {"experts",
       {"--expert-model-parallel-size", "expert_model_parallel_size", "expert_parallel_degree"}},
      {"schedule",
       {"--num-layers-per-virtual-pipeline-stage", "--num-virtual-stages-per-pipeline-rank",
        "virtual_pipeline_model_parallel_size", "pipeline_parallel_schedule"}},
      {"split",
       {"--pipeline-model-parallel-layout", "--decoder-first-pipeline-num-layers",
        "--decoder-last-pipeline-num-layers", "--pipeline-model-parallel-size",
        "pipeline_model_parallel_size", "pipeline_parallel_degree"}},
      {"batch", {"--global-batch-size", "global_batch_size", "train_batch_size"}},
      {"micro_batch",
       {"--micro-batch-size", "micro_batch_size", "local_batch_size",
        "train_micro_batch_size_per_gpu"}},
      {"recompute",
       {"--recompute-granularity", "--recompute-activations", "recompute_granularity",
        "activations_checkpoint_granularity", "activation_checkpoint"}},
      {"precision", {"--fp8-format", "--fp4-format", "fp8", "converters", "mixed_precision"}},
      {"layers", {"--num-layers", "num_layers", "num_hidden_layers"}},
      {"hidden", {"--hidden-size", "hidden_size"}},
      {"width",
       {"--moe-ffn-hidden-size", "moe_ffn_hidden_size", "--ffn-hidden-size", "ffn_hidden_size",
        "--hidden-size", "hidden_size"}},
      {"vocab", {"--padded-vocab-size", "--vocab-size", "vocab_size"}},
      {"kv_heads", {"--num-query-groups", "num_query_groups"}},
      {"heads", {"--num-attention-heads", "num_attention_heads"}},
      {"dispatch", {"--moe-token-dispatcher-type", "moe_token_dispatcher_type"}},
      {"sequence", {"--sequence-parallel", "sequence_parallel"}},
  };
  const llvm::StringRef path =
      field.take_while([](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
  const llvm::StringRef last = path.substr(path.rfind('.') + 1);
  for (const auto& [name, words] : fields)
    if (last == name)
      for (const char* word : words)
        if (const auto at = placeOf(word, sources.text(file), file))
          return at;
  return std::nullopt;
}
