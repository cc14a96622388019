//===- StageWords.cpp - How reports and messages count the stages of a pipeline ---------------===//
#include "figures/StageWords.h"
#include "support/Text.h"
#include <fmt/format.h>

using namespace dpl;

std::string figures::stagesAndMicroBatches(const ir::Plan& plan) {
  const std::uint64_t stages = plan.placement.stages(), ranks = plan.placement.ranks;
  return fmt::format("{}{}, {}", plural(stages, "stage"),
                     stages > ranks ? " on " + plural(ranks, "rank") : "",
                     plural(plan.mesh.microBatches, "micro-batch"));
}
