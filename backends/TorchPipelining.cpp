//===- TorchPipelining.cpp --------------------------------------------------------------------===//
#include "backends/TorchPipelining.h"
#include "backends/ScheduleAnswers.h"
#include "cost/step/StepTimes.h"
#include "ir/ListedActions.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::ir;

namespace {
constexpr const char* table = torchTableClass;
using enum ir::ScheduleKind;
constexpr ScheduleAnswers schedules = {
    {"GPipe", {GPipe}},
    {"1F1B", {OneForwardOneBackward}},
    {"Interleaved1F1B", {Interleaved}},
    {table,
     {EagerOneForwardOneBackward, ZeroBubbleH1, ZeroBubbleH2, ZeroBubble1p, ZeroBubble2p,
      ZeroBubbleAutomatic, ZeroBubbleVTimed, VHalf, VMin, Listed}},
    {"LoopedBFS", {LoopedBreadthFirst}},
    {"InterleavedZeroBubble", {InterleavedZeroBubble}},
    {"ZBVZeroBubble", {ZeroBubbleV}},
    {"DualPipeV", {DualPipeV}},
    {refuses, {DualPipe, PipeDream}}};
/// The classes that have a property other than the default.
constexpr TorchSchedule classes[] = {
    {.name = "GPipe", .oneStage = true},
    {.name = "1F1B", .oneStage = true, .fillsPipeline = true, .awaitsSends = true},
    {.name = "Interleaved1F1B", .inRounds = true},
    {.name = "InterleavedZeroBubble", .inRounds = true, .splitsBackward = true},
    {.name = "ZBVZeroBubble", .splitsBackward = true},
    {.name = "DualPipeV", .splitsBackward = true, .pairsActions = true}};

TorchSchedule classCalled(llvm::StringRef name) {
  const auto* found =
      llvm::find_if(classes, [&](const TorchSchedule& c) { return name == c.name; });
  return found != std::end(classes) ? *found : TorchSchedule{.name = name.data()};
}
} // namespace

std::optional<TorchSchedule> dpl::torchScheduleOf(const Layout& layout) {
  const char* name = answerFor(schedules, layout);
  if (name == refuses)
    return std::nullopt;
  // A class with several stages per rank needs at least two of them, and runs micro-batches in
  // groups of one per rank.
  if (name != table && layout.group == 0) {
    const TorchSchedule found = classCalled(name);
    if (found.oneStage || layout.chunks > 1)
      return found;
  }
  if (layout.chunks == 1)
    return TorchSchedule{"1F1B", true};
  if (layout.placement() != PlacementKind::VShaped)
    return TorchSchedule{"Interleaved1F1B", true};
  if (layout.chunks > 2)
    return std::nullopt;
  return TorchSchedule{"ZBVZeroBubble", true};
}

std::string dpl::whatTorchLacks(const Layout& layout) {
  if (!cost::endsWithFlush(layout))
    return "has no flush between steps";
  return layout.placement() == PlacementKind::VShaped
             ? fmt::format("passes the ranks {} times, in alternating direction", layout.chunks)
             : "has each stage on two ranks";
}

std::string dpl::torchTableOf(const Plan& plan) {
  std::string out;
  for (const RankSchedule& rank : plan.schedule) {
    std::string row;
    for (const ScheduledAction& op : rank.actions)
      if (const std::optional<char> letter = letterOf(op.kind))
        row += fmt::format("{}{}{}{}", row.empty() ? "" : ",",
                           plan.placement.stageReplicaOf(rank.rank, op.chunk).stage, *letter,
                           op.microBatch);
    out += row + "\n";
  }
  return out;
}
