//===- OffloadTest.cpp - What is in the host's memory, and what waits for it ------------------===//
#include "tests/unit/CompiledPlan.h"
#include "tests/unit/ValueOf.h"
#include <fmt/format.h>

using namespace dpl;
using test::valueOf;

namespace {
/// Eight layers on a device whose link carries so many GB/s.
ir::Plan planOf(const std::string& link, const std::string& fields,
                const std::string& mesh = "data = 8") {
  return test::completedPlan(
      "plan.dpl", "import std.models\nimport std.clusters\n"
                  "model llm from models.decoder {\n"
                  "  layers = 8, hidden = 2048, heads = 16, vocab = 32_000, context = 2048tok\n"
                  "  ffn = gated { width = 5632 }\n}\n"
                  "cluster pod from clusters.dgx_h100 {\n  nodes = 1\n"
                  "  node.gpu.host { link_bandwidth = " +
                      link +
                      ", memory_bandwidth = 50GB/s }\n}\nlayout plan for llm on pod {\n"
                      "  mesh { " +
                      mesh +
                      " }\n  batch = 64seq\n  micro_batch = 1seq\n"
                      "  shard.optimizer = data\n  " +
                      fields + "\n}\n");
}
} // namespace

TEST(Offload, OfActivations_LeavesTwoLayersOnTheDevice) {
  const ir::Plan all = planOf("1000GB/s", ""), some = planOf("1000GB/s", "offload.activations = 6");
  const double layer = valueOf(all, "layer[gated].saved_activations");
  EXPECT_EQ(valueOf(some, "stage[0].saved_activations"),
            valueOf(all, "stage[0].saved_activations") - 6 * layer);
  EXPECT_EQ(valueOf(some, "memory.peak"), valueOf(all, "memory.peak") - 4 * layer)
      << "one leaves or comes while another runs";
  EXPECT_EQ(valueOf(some, "time.offload"), 0);
  EXPECT_EQ(valueOf(some, "step_time"), valueOf(all, "step_time"));
}

TEST(Offload, OfActivations_WaitsForALinkThatIsSlowerThanThePasses) {
  const ir::Plan all = planOf("5GB/s", ""), some = planOf("5GB/s", "offload.activations = 6");
  const double crossing = 6 * valueOf(all, "layer[gated].saved_activations") / 5e9;
  const ir::ChunkPrograms& programs = some.chunkPrograms.front();
  EXPECT_NEAR(static_cast<double>(programs.forward) * 1e-12, crossing, 1e-9);
  const double waits = 2 * crossing - static_cast<double>(all.chunkPrograms.front().forward +
                                                          all.chunkPrograms.front().backward) *
                                          1e-12;
  // Of eight micro-batches; what the first and the last wait for their gathers and reductions
  // anyway is a part of it.
  const double offload = valueOf(some, "time.offload");
  EXPECT_LT(offload, 8 * waits);
  EXPECT_NEAR(offload, 8 * waits, 2e-3);
  EXPECT_NEAR(valueOf(some, "time.schedule"), valueOf(all, "time.schedule") + 8 * waits, 2e-3);
}

TEST(Offload, OfMoreLayersThanThereAre_IsThatOfAll) {
  const ir::Plan all = planOf("1000GB/s", "offload.activations = 8"),
                 more = planOf("1000GB/s", "offload.activations = 1000");
  EXPECT_EQ(valueOf(more, "memory.peak"), valueOf(all, "memory.peak"));
  EXPECT_EQ(valueOf(more, "step_time"), valueOf(all, "step_time"));
}

TEST(Offload, OfInputsOfRecomputedLayers_TakesThoseAlone) {
  const ir::Plan all = planOf("1000GB/s", "recompute = full"),
                 some = planOf("1000GB/s", "recompute = full\n  offload.activations = 4");
  EXPECT_EQ(valueOf(some, "stage[0].saved_activations"),
            valueOf(all, "stage[0].saved_activations") - 4 * 2 * 2048 * 2048);
}

TEST(Offload, OfTheOptimizer_TakesItsShareAndTheTimeOfTheHost) {
  const ir::Plan all = planOf("10GB/s", ""), half = planOf("10GB/s", "offload.optimizer = 0.5");
  const double state = valueOf(all, "memory.rank[0].optimizer");
  EXPECT_NEAR(valueOf(half, "memory.rank[0].optimizer"), state / 2, 1);
  for (const char* whole :
       {"bytes_per_element.optimizer", "bytes_per_element.optimizer_step", "checkpoint.bytes"})
    EXPECT_EQ(valueOf(half, whole), valueOf(all, whole)) << whole << ", wherever it is held";
  // Of half an eighth of the parameters 4 bytes of gradients and 2 of weights cross the link, and
  // the host touches 2 × 4 of gradients, 2 × 12 of state and 2 of weights.
  const double updated = valueOf(all, "memory.rank[0].parameter_count") / 8 / 2;
  EXPECT_NEAR(valueOf(half, "time.optimizer"), updated * (6 / 10e9 + 34 / 50e9), 1e-9);
}

TEST(Offload, OfShards_TakesParametersAndGradientsOffTheDevice) {
  const auto sharded = [](const char* link, const char* away) {
    return planOf(link, fmt::format("shard {{ parameters = data, gradients = data }}\n  {}", away));
  };
  const ir::Plan all = sharded("10GB/s", ""),
                 sums = sharded("10GB/s", "offload { optimizer = 1, gradients = true }"),
                 whole = sharded("10GB/s", "offload { optimizer = 1, parameters = true }");
  for (const ir::Plan* plan : {&sums, &whole})
    for (const char* held : {"memory.rank[0].optimizer", "memory.rank[0].gradients"})
      EXPECT_EQ(valueOf(*plan, held), 0);
  EXPECT_EQ(valueOf(sums, "memory.rank[0].parameters"), valueOf(all, "memory.rank[0].parameters"));
  EXPECT_EQ(valueOf(whole, "memory.rank[0].parameters"), 0);
  // The host touches 34 bytes of each parameter of an eighth, and 2 of new weights go back.
  const double updated = valueOf(all, "memory.rank[0].parameter_count") / 8;
  EXPECT_NEAR(valueOf(sums, "time.optimizer"), updated * (2 / 10e9 + 34 / 50e9), 1e-9);
  EXPECT_NEAR(valueOf(whole, "time.optimizer"), updated * 34 / 50e9, 1e-9);
}

TEST(Offload, OfShards_CrossesTheLinkInEachPass) {
  const auto passes = [](const char* away) {
    const ir::Plan plan =
        planOf("1GB/s", fmt::format("shard {{ parameters = data, gradients = data }}\n  "
                                    "offload {{ optimizer = 1, {} }}",
                                    away));
    const ir::ChunkPrograms& programs = plan.chunkPrograms.front();
    const double updated = valueOf(plan, "memory.rank[0].parameter_count") / 8;
    return std::pair(static_cast<double>(programs.forward) * 1e-3 / updated, // ns of a byte
                     static_cast<double>(programs.backward) * 1e-3 / updated);
  };
  const auto [forward, backward] = passes("parameters = true");
  EXPECT_NEAR(forward, 2, 1e-5) << "weights come";
  EXPECT_NEAR(backward, 4, 1e-5) << "and gradients go the other way";
  const auto [without, summed] = passes("gradients = true");
  EXPECT_LT(without, 1);
  EXPECT_NEAR(summed, 4, 1e-5);
}

/// Passes in halves wait in the second, whole ones once: what they wait is a part of the schedule.
TEST(Offload, UnderSchedulesWithBothKindsOfBackward_EachPassWaitsOnce) {
  const ir::Plan plan = planOf("2GB/s",
                               "schedule = dualpipe_v\n  shard.gradients = data\n  "
                               "offload { optimizer = 1, gradients = true }",
                               "pipeline = 2, data = 4");
  EXPECT_GT(valueOf(plan, "time.offload"), 0);
  EXPECT_NEAR(valueOf(plan, "step_time"), valueOf(plan, "time.schedule"), 1e-9);
}

TEST(Offload, LetsAMeshFit_ThatASearchFinds) {
  const ir::Plan plan = test::completedPlan(
      "plan.dpl", "import std.models\nimport std.clusters\n"
                  "model llm from models.decoder {\n"
                  "  layers = 8, hidden = 2048, heads = 16, vocab = 32_000, context = 2048tok\n"
                  "  ffn = gated { width = 5632 }\n}\n"
                  "cluster pod from clusters.dgx_h100 {\n"
                  "  nodes = 1, node.gpu.memory = 1GiB, node.gpu.non_tensor_memory = 100MiB, "
                  "node.gpu.cuda_context = 0B\n}\n"
                  "layout plan for llm on pod {\n"
                  "  mesh = auto\n  batch = 64seq\n  micro_batch = 1seq\n"
                  "  recompute = full\n  offload.optimizer = 1\n"
                  "  communicators = none\n}\n");
  EXPECT_LT(valueOf(plan, "memory.peak"), 1 << 30);
}

TEST(Offload, ComesAndGoesInTheAllocator) {
  const auto segments = [](const char* fields) {
    return valueOf(planOf("1000GB/s", fields), "memory.rank[0].segments");
  };
  const double all = segments("framework = pytorch"),
               some = segments("framework = pytorch\n  offload.activations = 6");
  EXPECT_LT(some, all - 2.0 * (1 << 20) * 50);
}
