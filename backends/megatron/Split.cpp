//===- Split.cpp - Options that make Megatron-LM place layers as the plan does ----------------===//
#include "backends/megatron/Split.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::megatron;

namespace {

using StageLayerCounts = std::vector<std::uint64_t>;

bool allEqual(llvm::ArrayRef<std::uint64_t> counts) {
  return llvm::all_of(counts, [&](std::uint64_t n) { return n == counts.front(); });
}

/// Tries an even split, in which `embedding` and `head` count as one layer each.
bool evenSplit(const MegatronLayout& s, StageLayerCounts counts, bool embedding, bool head,
               MegatronSplit& out) {
  counts.front() += embedding;
  counts.back() += head;
  if (!allEqual(counts) || counts.front() == 0)
    return false;
  if (embedding)
    out.arguments.push_back("--account-for-embedding-in-pipeline-split");
  if (head)
    out.arguments.push_back("--account-for-loss-in-pipeline-split");
  if (s.chunks > 1) {
    out.arguments.push_back("--num-layers-per-virtual-pipeline-stage");
    out.arguments.push_back(std::to_string(counts.front()));
  }
  return true;
}

/// Tries a split in which the first and the last pipeline rank may differ from the others. The
/// others must be equal, and so must the chunks of one rank (transformer_config.py requires both).
bool unevenEnds(const MegatronLayout& s, const StageLayerCounts& counts, MegatronSplit& out) {
  for (std::uint64_t i = s.pipeline; i < counts.size(); ++i)
    if (counts[i] != counts[i - s.pipeline])
      return false;
  // With several chunks Megatron-LM divides by the number of ranks between the ends, which may be
  // 0.
  if (s.pipeline < 2 || (s.pipeline == 2 && s.chunks > 1))
    return false;
  const llvm::ArrayRef<std::uint64_t> ranks(counts.data(), s.pipeline);
  const llvm::ArrayRef<std::uint64_t> middle = ranks.drop_front().drop_back();
  if (!middle.empty() && (!allEqual(middle) || middle.front() == 0))
    return false;
  if (ranks.front() == 0 || ranks.back() == 0)
    return false;
  const auto give = [&](const char* option, std::uint64_t layers) {
    out.arguments.push_back(option);
    out.arguments.push_back(std::to_string(layers * s.chunks));
  };
  if (middle.empty() || ranks.front() != middle.front())
    give("--decoder-first-pipeline-num-layers", ranks.front());
  if (middle.empty() || ranks.back() != middle.front())
    give("--decoder-last-pipeline-num-layers", ranks.back());
  if (s.chunks > 1)
    give("--num-virtual-stages-per-pipeline-rank", 1);
  return true;
}

std::string times(char layer, std::uint64_t count) {
  if (count == 0)
    return "";
  return count == 1 ? std::string(1, layer) : fmt::format("{}*{}", layer, count);
}

/// The layout string, such as `Et*4|(t*4|)*14tL`. A stage consists of E, t, m and L with repeats,
/// stages are separated by `|`, and a run of equal stages is written once
/// (pipeline_parallel_layer_layout.py).
std::string layoutString(llvm::ArrayRef<ir::Chunk> chunks) {
  std::vector<std::string> stages;
  for (const ir::Chunk& c : chunks)
    stages.push_back((c.embedding ? "E" : "") + times('t', c.layers) +
                     times('m', c.predictionLayers) + (c.head ? "L" : ""));
  std::string out;
  for (std::size_t i = 0; i < stages.size();) {
    std::size_t end = i + 1;
    while (end + 1 < stages.size() && stages[end] == stages[i])
      ++end; // the last stage is outside the repeat, because no `|` follows it
    const std::size_t run = i + 1 == stages.size() ? 1 : end - i;
    if (run > 2)
      out += fmt::format("({}|)*{}", stages[i], run);
    else
      for (std::size_t k = 0; k < run; ++k)
        out += stages[i] + (i + k + 1 < stages.size() ? "|" : "");
    i += run;
  }
  return out;
}

SplitProblem problemOf(const MegatronLayout& s, llvm::ArrayRef<ir::Chunk> chunks) {
  for (const ir::Chunk& c : chunks) {
    const bool first = &c == &chunks.front(), last = &c == &chunks.back();
    if (c.embedding != first || c.head != last)
      return SplitProblem::Ends;
    if (c.predictionLayers != 0 &&
        (c.predictionLayers != s.plan.model.predictionLayers || c.chunk + 1 != s.chunks))
      return SplitProblem::PredictionLayers;
  }
  return SplitProblem::None;
}

} // namespace

MegatronSplit dpl::megatron::splitOf(const MegatronLayout& s) {
  MegatronSplit out;
  // Another check refuses schedules with stage replicas, so these are the chunks of one direction.
  const llvm::ArrayRef<ir::Chunk> chunks =
      llvm::ArrayRef<ir::Chunk>(s.plan.chunks)
          .take_front(s.plan.chunks.size() / s.plan.placement.directions());
  if (s.pipeline == 1 && s.chunks == 1)
    return out;
  out.problem = problemOf(s, chunks);
  if (out.problem != SplitProblem::None)
    return out;
  StageLayerCounts counts;
  for (const ir::Chunk& c : chunks)
    counts.push_back(c.layers);
  // Every option except the layout string puts the MTP layers on the last chunk.
  if (chunks.back().predictionLayers == s.plan.model.predictionLayers)
    for (const auto& [embedding, head] :
         {std::pair(false, false), {true, false}, {false, true}, {true, true}})
      if (evenSplit(s, counts, embedding, head, out))
        return out;
  if (chunks.back().predictionLayers == s.plan.model.predictionLayers && unevenEnds(s, counts, out))
    return out;
  out.arguments = {"--pipeline-model-parallel-layout", layoutString(chunks)};
  return out;
}
