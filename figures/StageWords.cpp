//===- StageWords.cpp - How reports and messages count the stages of a pipeline ---------------===//
#include "figures/StageWords.h"
#include <fmt/format.h>

using namespace dpl;

std::string figures::stagesAndMicroBatches(const ir::Plan& plan) {
  const std::uint64_t stages = plan.placement.stages(), ranks = plan.placement.ranks;
  return fmt::format("{} stages{}, {} micro-batches", stages,
                     stages > ranks ? fmt::format(" on {} ranks", ranks) : "",
                     plan.mesh.microBatches);
}
