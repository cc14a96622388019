//===- StageLayers.cpp - Schedule, micro-batch and stages in torchtitan -----------------------===//
#include "frontend/import/torchtitan/StageLayers.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::imports;
using namespace dpl::imports::settings;
using namespace dpl::imports::torchtitan;

namespace {
/// Names of schedules in torch.distributed.pipelining, and in DPL.
constexpr std::pair<const char*, const char*> schedules[] = {
    {"GPipe", "gpipe"},
    {"1F1B", "1f1b"},
    {"Interleaved1F1B", "interleaved_1f1b"},
    {"LoopedBFS", "looped_bfs"},
    {"InterleavedZeroBubble", "interleaved_zb"},
    {"ZBVZeroBubble", "zb_v"},
    {"DualPipeV", "dualpipe_v"}};

} // namespace

llvm::StringRef dpl::imports::torchtitan::scheduleOfLanguage(llvm::StringRef schedule) {
  const auto* const row =
      llvm::find_if(schedules, [&](const auto& n) { return schedule == n.first; });
  return row == std::end(schedules) ? "" : row->second;
}

std::vector<std::uint64_t> StageLayers::layersOfEach() {
  const bool several = severalOfARank();
  const std::uint64_t first = set.count("parallelism.pipeline_parallel_first_stage_less_layers", 1);
  const std::uint64_t last = set.count("parallelism.pipeline_parallel_last_stage_less_layers", 1);
  const char* each = "parallelism.pipeline_parallel_layers_per_stage";
  const std::uint64_t perStage = set.count(each, 0);
  if (const SettingValue* listed = set.value("parallelism.module_fqns_per_model_part"))
    return counted(*listed);
  if (const SettingValue* points = set.value("parallelism.pipeline_parallel_split_points");
      points && !points->entries.empty())
    return between(*points);
  if (layers == 0)
    return {};
  if (earlier.batch && perStage == 0)
    return dealtEarlier(std::min(pipeline, most) * (several ? 2 : 1));
  const std::uint64_t slots = layers + std::min(first, most) + std::min(last, most);
  const std::uint64_t count = perStage > 0 ? (slots + perStage - 1) / perStage
                                           : std::min(pipeline, most) * (several ? 2 : 1);
  if (const auto parts = count <= layers ? facts.spread(count, layers, first, last) : std::nullopt;
      parts && count % pipeline == 0)
    return *parts;
  set.refused(each, program,
              fmt::format("{} layers do not go into {} stages of {} pipeline ranks", layers, count,
                          pipeline));
  return {};
}

std::vector<std::uint64_t> StageLayers::dealtEarlier(std::uint64_t count) {
  std::vector<std::uint64_t> out = earlierStages(count, layers);
  if (out.empty())
    set.refused("parallelism.pipeline_parallel_degree", program,
                fmt::format("{} layers do not go into {} stages (ValueError when it starts)",
                            layers, count));
  return out;
}

/// The layers of each stage, where stages begin at split points such as "layers.8".
std::vector<std::uint64_t> StageLayers::between(const SettingValue& points) {
  const char* path = "parallelism.pipeline_parallel_split_points";
  std::vector<std::uint64_t> out;
  std::uint64_t begin = 0;
  bool rise = layers != 0;
  for (const SettingEntry& point : points.entries) {
    llvm::StringRef name = point.value.text;
    std::uint64_t at = 0;
    rise &= name.consume_front("layers.") && !name.getAsInteger(10, at) && at > begin;
    out.push_back(at - std::min(begin, at)), begin = at;
  }
  if (!rise || begin >= layers || (out.size() + 1) % pipeline != 0) {
    set.wrong(path, fmt::format("points `layers.N` that rise below {}, one less than a multiple "
                                "of {} stages",
                                layers, pipeline));
    return {};
  }
  out.push_back(layers - begin);
  return out;
}

std::vector<std::uint64_t> StageLayers::counted(const SettingValue& listed) {
  std::vector<std::uint64_t> out;
  for (const SettingEntry& stage : listed.entries)
    out.push_back(static_cast<std::uint64_t>(
        llvm::count_if(stage.value.entries, [](const SettingEntry& item) {
          return llvm::StringRef(item.value.text).startswith("layers.");
        })));
  std::uint64_t all = 0;
  for (const std::uint64_t n : out)
    all += n;
  if (out.empty() || out.size() % pipeline != 0 || (layers != 0 && all != layers))
    set.wrong(
        "parallelism.module_fqns_per_model_part",
        fmt::format("lists for a multiple of {} stages with all {} layers", pipeline, layers));
  return out;
}

/// The size of a micro-batch. Files of releases before 0.2 set the number of micro-batches, whose
/// default is the number of stages.
std::uint64_t StageLayers::microBatchOf(std::uint64_t local) {
  const char* path = "parallelism.pipeline_parallel_microbatches";
  if (!set.has(path) && !earlier.batch)
    return set.count("parallelism.pipeline_parallel_microbatch_size", 1, 1);
  const std::uint64_t stages = std::min(pipeline, most) * (severalOfARank() ? 2 : 1);
  const std::uint64_t count = set.count(path, stages, 1);
  if (local % count != 0)
    set.refused(set.has(path) ? path : "training.local_batch_size", program,
                fmt::format("a batch of {} does not divide into {} micro-batches (ValueError when "
                            "it starts)",
                            local, count));
  return local / count;
}

/// The name of the schedule. Case is ignored, as in PyTorch. Releases before 0.1 used the names
/// that DPL has.
const std::string& StageLayers::schedule() {
  if (!scheduleName.empty())
    return scheduleName;
  const char* path = "parallelism.pipeline_parallel_schedule";
  std::vector<std::string> theirs;
  const std::string given = set.text(path, "1F1B");
  for (const auto& [name, ours] : schedules) {
    theirs.emplace_back(name);
    if (llvm::StringRef(name).equals_insensitive(given) || given == ours)
      return scheduleName = name;
  }
  return scheduleName = set.choice(path, "1F1B", theirs);
}

bool StageLayers::severalOfARank() { return schedule() != "GPipe" && schedule() != "1F1B"; }
