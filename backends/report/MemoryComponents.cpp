//===- MemoryComponents.cpp - Memory components of a rank at each time of the step ------------===//
#include "backends/report/MemoryComponents.h"
#include "backends/report/ActionStyle.h"
#include "backends/report/Format.h"
#include "figures/Figures.h"
#include "ir/Arithmetic.h"
#include "ir/MergedProgram.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::report;

std::uint64_t MemoryBreakdown::freeBlocksOf(const ir::Plan& plan, std::uint64_t rank) {
  const std::string path = fmt::format("memory.rank[{}].free_blocks", rank);
  return ir::whole(figures::Figures(plan).value(path).value_or(0));
}

MemoryBreakdown::MemoryBreakdown(const ir::Plan& plan, std::uint64_t rank)
    : memory(plan.memory[rank]), curve(cost::memoryOverStep(plan, rank)),
      moment(cost::peakMoment(plan, rank)), freeBlocks(freeBlocksOf(plan, rank)) {
  for (std::size_t i = 0; i < curve.size(); ++i)
    if (curve[i].bytes > curve[peak].bytes)
      peak = i;
}

std::vector<MemoryComponent> MemoryBreakdown::at(std::size_t index) const {
  const cost::MemorySample& held = curve[index];
  // The last point is after the actions, when the optimizer step runs if there is one.
  const bool steps = index + 1 == curve.size() && memory.update > 0;
  const std::uint64_t goes = held.bytes - memory.persistent(),
                      passes = steps ? 0 : held.activations + held.gradients;
  return {{"runtime", 'r', "#bdbdbd", memory.reserved - freeBlocks},
          {"free blocks", 'f', "#d9d9d9", freeBlocks},
          {"weights", 'w', "#3182bd", memory.parameters},
          {"gradients", 'g', "#fd8d3c", memory.gradients},
          {"optimizer", 'o', "#756bb1", memory.optimizer},
          {"buffers", 'b', "#969696", memory.buffers},
          {"summed gradients", 's', "#fdbe85", steps ? 0 : held.gradients},
          {"activations", 'a', "#31a354", steps ? 0 : held.activations},
          {"temporary", 't', "#a1d99b", steps ? 0 : goes - passes},
          {"update", 'u', "#e377c2", steps ? goes : 0}};
}

std::string report::peakWords(const ir::Plan& plan, const MemoryBreakdown& breakdown) {
  const cost::PeakMoment& moment = breakdown.moment;
  if (moment.update)
    return "while the optimizer steps";
  const bool merged = ir::mergedProgram(plan, breakdown.memory.rank, moment.running);
  const std::string where = moment.op.empty()
                                ? "at its end, with all its gradients"
                                : fmt::format("in `{}` at the {}", moment.module, moment.op);
  return fmt::format(
      "at {}, while micro-batch {}{} runs {}{}, {}",
      moment.time == 0 ? "0s" : fromPicoseconds(moment.time), moment.running.microBatch,
      plan.placement.chunks > 1 ? fmt::format(" of chunk {}", moment.running.chunk) : "",
      styleOf(moment.running.kind).word, merged ? " merged with a backward pass" : "", where);
}
