//===- EmptySpace.cpp - Why no mesh is legal --------------------------------------------------===//
#include "planner/EmptySpace.h"
#include "ir/Names.h"
#include "passes/Words.h"
#include "planner/MeshSpace.h"
#include <fmt/format.h>

using namespace dpl;

std::string planner::whyNoMesh(const ir::Plan& plan) {
  const ir::Layout& layout = plan.layout;
  const auto helps = [&](auto change) {
    ir::Plan other = plan;
    change(other.layout);
    return !meshSpace(other).empty();
  };
  if (layout.microBatchGiven && helps([](ir::Layout& of) { of.microBatchGiven = false; }))
    return fmt::format("no degrees are legal with `micro_batch = {}`", layout.microBatch);
  // Any data ranks divide this batch, and any pipeline divides its micro-batches.
  if (helps([&](ir::Layout& of) { of.batch = plan.cluster.devices() * of.microBatch; }))
    return fmt::format("no degrees divide a batch of {} {}", layout.batch, batchNoun(layout));
  if (helps([](ir::Layout& of) {
        of.schedule = ir::ScheduleKind::OneForwardOneBackward, of.chunks = 1;
      }))
    return fmt::format("no degrees are legal with `schedule = {}`{}", ir::name(layout.schedule),
                       layout.chunks > 1 ? fmt::format(" of {} chunks", layout.chunks) : "");
  if (helps([](ir::Layout& of) {
        of.split = ir::SplitKind::ByFlop, of.embeddingSlots = of.headSlots = 0;
      }))
    return layout.split == ir::SplitKind::Listed
               ? fmt::format("no degrees are legal with a pipeline of the {} stages of `split`",
                             layout.splitLayers.size())
               : fmt::format("no pipeline divides the layers with `split = {}`",
                             ir::name(layout.split));
  if (helps([](ir::Layout& of) { of.shard.sequenceGiven = false; }))
    return fmt::format("no degrees are legal with `shard.sequence = {}`",
                       ir::name(layout.shard.sequence));
  return "no degrees divide the devices, the model and the batch";
}
