//===- SchedulePlans.cpp - Plans whose schedules are worth drawing ----------------------------===//
#include "tests/unit/SchedulePlans.h"
#include "cost/step/StepTimes.h"
using namespace dpl;
using namespace dpl::test;

ir::Plan test::planOf(const std::string& mesh, const std::string& rest, const char* batch) {
  return completedPlan(
      "small.dpl", "import std.models\nimport std.clusters\n"
                   "cluster pod from clusters.dgx_h100 { nodes = 1 }\n"
                   "model tiny from models.gpt2_small { hidden = 1024, heads = 16 }\n"
                   "layout train for tiny on pod {\n  mesh { " +
                       mesh + " }\n  micro_batch = 1seq\n  batch = " + batch + "\n" + rest + "}\n");
}

ir::Plan test::manyStreams() {
  return planOf("pipeline = 2, data = 2, context = 2", "  overlap.gradients = true\n"
                                                       "  shard { optimizer = data }\n"
                                                       "  overlap.parameters = true\n");
}

ir::Plan test::mergedPairs(const std::string& schedule, const std::string& rest) {
  return completedPlan(
      "small.dpl", "import std.models\nimport std.clusters\n"
                   "cluster pod from clusters.dgx_h100 { nodes = 1, node.gpu.memory = 640GiB }\n"
                   "model tiny from models.mixtral_8x7b { layers = 8 }\n"
                   "layout train for tiny on pod {\n"
                   "  mesh { pipeline = 2, data = 4, experts { expert = 4 } }\n"
                   "  micro_batch = 1seq\n  batch = 32seq\n  schedule = " +
                       schedule + "\n" + rest + "}\n");
}

ir::ScheduledAction test::operation(ir::ActionKind kind, std::uint16_t chunk,
                                    std::uint32_t microBatch) {
  return {kind, chunk, microBatch};
}

ir::Plan test::everyKind() {
  ir::Plan plan =
      planOf("pipeline = 2, data = 4", "  schedule = interleaved_1f1b { chunks = 2 }\n", "16seq");
  using enum ir::ActionKind;
  for (ir::RankSchedule& rank : plan.schedule) {
    rank.actions = {operation(Forward, 0, 0),        operation(Forward, 1, 0),
                    operation(BackwardInput, 1, 0),  operation(BackwardInput, 0, 0),
                    operation(BackwardWeight, 1, 0), operation(BackwardWeight, 0, 0),
                    operation(Forward, 0, 1),        operation(Backward, 0, 1),
                    operation(Wait, 0, 0),           operation(Collective, 0, 0),
                    operation(Optimizer, 0, 0)};
    rank.start.clear();
    for (std::size_t i = 0; i < rank.actions.size(); ++i)
      rank.start.push_back((rank.rank + i) * 1'000'000'000);
    rank.duration.assign(rank.actions.size(), 1'000'000'000);
  }
  plan.step = cost::stepTimes(plan); // of this schedule
  return plan;
}
