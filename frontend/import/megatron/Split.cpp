//===- Split.cpp - The pipeline stages of a launch --------------------------------------------===//
#include "frontend/import/megatron/Split.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::imports::megatron;

namespace {
constexpr std::size_t largest = 1 << 20; // limit on the characters of a layout string

/// Appends `piece` `count` times. Fails if the result has more characters than `largest`.
LogicalResult repeat(std::string& out, llvm::StringRef piece, std::uint64_t count) {
  if (count > largest || piece.size() * count + out.size() > largest)
    return LogicalResult::failure();
  for (std::uint64_t i = 0; i < count; ++i)
    out += piece.str();
  return LogicalResult::success();
}

/// Expands `(…)*n` and `x*n` like pipeline_parallel_layer_layout.py of Megatron-LM: first
/// parentheses, then single letters. Commas have no meaning.
FailureOr<std::string> unrolled(llvm::StringRef text) {
  std::string flat;
  while (!text.empty()) {
    llvm::StringRef piece = text.take_front(1);
    text = text.drop_front();
    if (piece == ",")
      continue;
    if (piece == "(") {
      const std::size_t end = text.find(')');
      if (end == llvm::StringRef::npos)
        return LogicalResult::failure();
      const FailureOr<std::string> inside = unrolled(text.take_front(end));
      if (inside.failed())
        return LogicalResult::failure();
      text = text.drop_front(end + 1);
      std::uint64_t count = 1;
      if (text.consume_front("*") && text.consumeInteger(10, count))
        return LogicalResult::failure();
      if (repeat(flat, *inside, count).failed())
        return LogicalResult::failure();
      continue;
    }
    std::uint64_t count = 1;
    if (text.consume_front("*") && text.consumeInteger(10, count))
      return LogicalResult::failure();
    if (repeat(flat, piece, count).failed())
      return LogicalResult::failure();
  }
  return flat;
}

void layoutString(LaunchOptions& launch, const StageCounts& stages, LayerAssignment& out) {
  const char* option = "--pipeline-model-parallel-layout";
  const FailureOr<std::string> flat = unrolled(launch.text(option));
  if (flat.failed())
    return launch.wrong(option, "stages of E, t, m and L between `|`");
  llvm::SmallVector<llvm::StringRef, 64> chunks;
  llvm::StringRef(*flat).split(chunks, '|');
  std::uint64_t layers = 0;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    llvm::StringRef chunk = chunks[i];
    const bool last = i + 1 == chunks.size();
    if (i == 0 && !chunk.consume_front("E"))
      return launch.wrong(option, "a first stage that begins with E");
    std::string end;
    if (last)
      end = std::string(stages.prediction, 'm') + "L";
    if (last && !chunk.consume_back(end))
      return launch.wrong(option, fmt::format("a last stage that ends with {}", end));
    if (chunk.find_first_not_of('t') != llvm::StringRef::npos)
      return launch.wrong(option, "E in the first stage only, and m and L in the last only");
    out.layers.push_back(chunk.size());
    layers += chunk.size();
  }
  if (layers != stages.layers)
    return launch.refused(option,
                          fmt::format("the layout places {} layers of {} (AssertionError when "
                                      "it makes its configuration)",
                                      layers, stages.layers),
                          {option, "--num-layers"});
  if (chunks.size() % stages.pipeline != 0)
    return launch.refused(option,
                          fmt::format("{} stages are not a multiple of {} pipeline ranks",
                                      chunks.size(), stages.pipeline),
                          {option, "--pipeline-model-parallel-size"});
  out.chunks = chunks.size() / stages.pipeline;
}

/// The reason why Megatron-LM cannot place `begin` layers on the first pipeline rank and `end` on
/// the last; empty if it can. A value of 0 means that the number is not set.
std::string whyEndsDoNotFit(const StageCounts& stages, std::uint64_t begin, std::uint64_t end) {
  if (stages.pipeline < 2)
    return fmt::format("one pipeline rank holds all {} layers, not {}", stages.layers,
                       std::max(begin, end));
  if (begin > 0 && end > 0 && stages.pipeline == 2 && begin + end < stages.layers)
    return fmt::format(
        "the first and the last of 2 ranks have {} and {} layers, {} of {}: the other layers "
        "have no rank",
        begin, end, begin + end, stages.layers);
  const std::string first = begin > 0 ? fmt::format("{} on the first", begin) : "",
                    last = end > 0 ? fmt::format("{} on the last", end) : "";
  return fmt::format("{} layers do not divide over {} ranks with {}{}{}", stages.layers,
                     stages.pipeline, first, begin > 0 && end > 0 ? " and " : "", last);
}

/// Reads the numbers of layers of the first and last rank. All other ranks have equal numbers.
void unevenEnds(LaunchOptions& launch, const StageCounts& stages, LayerAssignment& out) {
  const char *first = "--decoder-first-pipeline-num-layers",
             *last = "--decoder-last-pipeline-num-layers";
  const std::uint64_t begin = launch.count(first, 0), end = launch.count(last, 0);
  const std::uint64_t ends = (begin > 0) + (end > 0);
  const std::uint64_t middle = stages.pipeline - std::min(stages.pipeline, ends);
  const std::uint64_t left = begin + end > stages.layers ? 1 : stages.layers - begin - end;
  if (stages.pipeline < 2 || begin + end > stages.layers || (middle == 0) != (left == 0) ||
      (middle > 0 && left % middle != 0))
    return launch.refused(launch.has(first) ? first : last, whyEndsDoNotFit(stages, begin, end),
                          {"--num-layers", "--pipeline-model-parallel-size", first, last});
  if (middle == 0 && out.chunks > 1)
    return launch.refused(first,
                          "chunks need a rank between the first and the last "
                          "(ZeroDivisionError when it builds the model)",
                          {"--pipeline-model-parallel-size", first, last,
                           "--num-virtual-stages-per-pipeline-rank", "--num-layers"});
  std::vector<std::uint64_t> ranks(stages.pipeline, middle == 0 ? 0 : left / middle);
  if (begin > 0)
    ranks.front() = begin;
  if (end > 0)
    ranks.back() = end;
  for (const std::uint64_t count : ranks)
    if (count % out.chunks != 0)
      return launch.refused(
          "--num-virtual-stages-per-pipeline-rank",
          fmt::format("{} layers of a rank do not divide over {} chunks", count, out.chunks),
          {"--num-layers", "--pipeline-model-parallel-size", first, last,
           "--num-virtual-stages-per-pipeline-rank"});
  for (std::uint64_t chunk = 0; chunk < out.chunks; ++chunk)
    for (const std::uint64_t count : ranks)
      out.layers.push_back(count / out.chunks);
}
} // namespace

LayerAssignment dpl::imports::megatron::splitOf(LaunchOptions& launch, const StageCounts& stages) {
  LayerAssignment out;
  if (launch.has("--pipeline-model-parallel-layout")) {
    layoutString(launch, stages, out);
    return out;
  }
  out.embedding = launch.flag("--account-for-embedding-in-pipeline-split");
  out.head = launch.flag("--account-for-loss-in-pipeline-split");
  out.chunks = launch.count("--num-virtual-stages-per-pipeline-rank", 1);
  const std::uint64_t slots = stages.layers + out.embedding + out.head;
  if (const std::uint64_t each = launch.count("--num-layers-per-virtual-pipeline-stage", 0)) {
    if (slots % stages.pipeline != 0 || slots / stages.pipeline % each != 0)
      launch.refused("--num-layers-per-virtual-pipeline-stage",
                     fmt::format("{} layers do not divide over {} ranks with chunks of {}", slots,
                                 stages.pipeline, each),
                     {"--num-layers", "--pipeline-model-parallel-size",
                      "--num-layers-per-virtual-pipeline-stage"});
    else
      out.chunks = slots / stages.pipeline / each;
  }
  if (launch.has("--decoder-first-pipeline-num-layers") ||
      launch.has("--decoder-last-pipeline-num-layers"))
    unevenEnds(launch, stages, out);
  return out;
}

FailureOr<std::vector<bool>> dpl::imports::megatron::expertLayers(llvm::StringRef pattern,
                                                                  std::uint64_t layers) {
  std::vector<bool> out;
  pattern = pattern.trim();
  std::uint64_t every = 0;
  if (!pattern.getAsInteger(10, every)) {
    for (std::uint64_t i = 0; every > 0 && i < layers && layers <= largest; ++i)
      out.push_back(i % every == 0);
  } else {
    if (pattern.consume_front("("))
      pattern.consume_back(")");
    while (!pattern.empty()) {
      pattern = pattern.ltrim(" +");
      if (!pattern.consume_front("["))
        return LogicalResult::failure();
      const auto [inside, behind] = pattern.split(']');
      llvm::SmallVector<llvm::StringRef, 16> entries;
      inside.split(entries, ',');
      pattern = behind.ltrim();
      std::uint64_t count = 1;
      if (pattern.consume_front("*")) {
        pattern = pattern.ltrim();
        if (pattern.consumeInteger(10, count) || count > largest)
          return LogicalResult::failure();
      }
      for (std::uint64_t i = 0; i < count; ++i)
        for (const llvm::StringRef entry : entries)
          out.push_back(entry.trim() == "1");
      if (out.size() > largest)
        return LogicalResult::failure();
      pattern = pattern.ltrim();
    }
  }
  if (out.size() != layers)
    return LogicalResult::failure();
  return out;
}
