//===- ExposureTest.cpp - What communication costs a step -------------------------------------===//
//
// Plans small enough to work out what shows: what blocks shows whole, what hides shows what is
// longer than what hides it.
#include "ir/Arithmetic.h"
#include "tests/unit/TinyPlan.h"
#include <cmath>
#include <gtest/gtest.h>
#include <map>

using namespace dpl;
using namespace dpl::ir;

namespace {
/// Seconds of all calls of a purpose on a pipeline rank.
double callsOf(const Plan& plan, CollectivePurpose purpose, std::uint64_t rank) {
  double seconds = 0;
  for (const Collective& c : plan.collectives)
    if (c.purpose == purpose && c.rank == rank)
      seconds += toSeconds(c.time) * real(c.count);
  return seconds;
}
} // namespace

TEST(Exposure, OfCallsThatBlock_IsTheirTime) {
  const Plan plan =
      test::tinyPlan("data = 2, tensor = 8", "  overlap.gradients = false\n  cuda_graphs = true\n");
  const double tensor = callsOf(plan, CollectivePurpose::TensorActivation, 0);
  const double data = callsOf(plan, CollectivePurpose::GradientReduce, 0);
  EXPECT_GT(tensor, 0);
  EXPECT_NEAR(test::valueOf(plan, "time.exposed.tensor"), tensor, 1e-9 * tensor);
  EXPECT_NEAR(test::valueOf(plan, "time.exposed.data"), data, 1e-9 * data);
  EXPECT_NEAR(test::valueOf(plan, "time.exposed"), tensor + data, 1e-9 * tensor);
  EXPECT_NEAR(test::valueOf(plan, "time.exposed.interaction"), 0, 1e-12);
  EXPECT_NEAR(test::valueOf(plan, "time.bubble"), 0, 1e-12);
}

TEST(Exposure, OfParallelBlocks_IsHalfOfTheCallsOfLayers) {
  // All-reduces both ways: two a layer of 12, embedding and head, each 64 / 2 times.
  const auto calls = [](const char* more) {
    const Plan plan = test::completedPlan(
        "small.dpl", std::string("import std.models\nimport std.clusters\n"
                                 "cluster pod from clusters.dgx_h100 { nodes = 2 }\n"
                                 "model tiny from models.gpt2_small { hidden = 1024, heads = 16") +
                         more +
                         " }\nlayout train for tiny on pod {\n  mesh { data = 2, tensor = 8 }\n"
                         "  batch = 64seq\n}\n");
    std::uint64_t count = 0;
    for (const Collective& c : plan.collectives)
      count += c.purpose == CollectivePurpose::TensorActivation ? c.count : 0;
    return count;
  };
  EXPECT_EQ(calls(""), 32 * (2 * 2 * 12 + 2));
  EXPECT_EQ(calls(", blocks = parallel"), 32 * (2 * 12 + 2));
}

TEST(Exposure, OfExpertsInParallelWithAttention_IsOneSumAndTheExchangesOfTokens) {
  const auto plan = [](const char* more) {
    return test::completedPlan(
        "small.dpl", std::string("import std.models\nimport std.clusters\n"
                                 "cluster pod from clusters.dgx_h100 { nodes = 2 }\n"
                                 "model tiny from models.gpt2_small { hidden = 1024, heads = 16\n"
                                 "  ffn = experts { count = 8, top_k = 2, width = 1024, shared = 1,"
                                 " router { balance = none } }\n") +
                         more +
                         " }\nlayout train for tiny on pod {\n  mesh { data = 2, tensor = 8,"
                         " experts { expert = 8, tensor = 1 } }\n  batch = 64seq\n}\n");
  };
  const auto count = [](const Plan& made, CollectivePurpose purpose) {
    std::uint64_t sum = 0;
    for (const Collective& c : made.collectives)
      sum += c.purpose == purpose ? c.count : 0;
    return sum;
  };
  const Plan after = plan(""), beside = plan("  blocks = parallel");
  // The sum of attention and that of the shared expert are one; tokens travel as often.
  EXPECT_EQ(count(after, CollectivePurpose::TensorActivation), 32 * (2 * 2 * 12 + 2));
  EXPECT_EQ(count(beside, CollectivePurpose::TensorActivation), 32 * (2 * 12 + 2));
  EXPECT_EQ(count(after, CollectivePurpose::ExpertTokens), 32 * 2 * 2 * 12);
  EXPECT_EQ(count(beside, CollectivePurpose::ExpertTokens), 32 * 2 * 2 * 12);
}

TEST(Exposure, OfReductionsBesideTheBackward_IsLessThanTheirTimeAndAtLeastTheLast) {
  const Plan plan = test::tinyPlan("data = 16", "  overlap.gradients = true\n");
  const double all = callsOf(plan, CollectivePurpose::GradientReduce, 0);
  const double shows = test::valueOf(plan, "time.exposed.data");
  EXPECT_LT(shows, all);
  for (const Collective& c : plan.collectives) {
    if (c.purpose == CollectivePurpose::GradientReduce) {
      EXPECT_GE(shows, toSeconds(c.time) * 0.999);
    }
  }
}

TEST(Exposure, OfATensorCall_IsOnTheWayOfTheFirstAndTheLastMicroBatchToo) {
  // Of p equal stages and m micro-batches the step has m + p − 1 passes each way, and so many times
  // what a pass of a stage calls; a bubble of communication is communication.
  const Plan plan = test::tinyPlan("pipeline = 2, tensor = 8",
                                   "  overlap.gradients = false\n  cuda_graphs = true\n");
  const double stage = callsOf(plan, CollectivePurpose::TensorActivation, 1) / 64;
  EXPECT_NEAR(test::valueOf(plan, "time.exposed.tensor"), (64 + 2 - 1) * stage, 0.02 * 65 * stage);
}

TEST(Exposure, OfMessagesInParts_IsAnEighthOfThemAndAGatherEach) {
  const auto plan = [](const char* messages) {
    return test::tinyPlan("pipeline = 2, tensor = 8",
                          std::string("  overlap { pipeline = false }\n") + messages);
  };
  const Plan whole = plan(""), parts = plan("  shard.messages = tensor\n");
  const std::uint64_t message = 1024 * 1024 * 2; // tokens × hidden in 16 bits
  std::uint64_t gathers = 0;
  for (const Plan* p : {&whole, &parts})
    for (const Collective& c : p->collectives) {
      if (c.kind == CollectiveKind::SendReceive) {
        EXPECT_EQ(c.bytes, p == &whole ? message : message / 8);
        EXPECT_EQ(c.count, 64U);
      }
      if (c.kind == CollectiveKind::AllGather) {
        EXPECT_EQ(c.bytes, message);
        EXPECT_EQ(c.count, 64U); // activations on the second rank, gradients on the first
        gathers += p == &parts ? 1 : 100;
      }
    }
  EXPECT_EQ(gathers, 2U);
  // Where the sequence is split, messages are parts without being gathered.
  const Plan split = plan("  shard { sequence = tensor, messages = tensor }\n"),
             alone = plan("  shard.sequence = tensor\n");
  EXPECT_EQ(test::valueOf(split, "step_time"), test::valueOf(alone, "step_time"));
}

TEST(Exposure, OfGradientsInBuckets_IsWhatTheirMessagesWait) {
  // 12 layers of 50.4 MB leave in 12 calls, or each in its four large tensors, which are not cut.
  const auto reductions = [](const Plan& plan) {
    std::uint64_t count = 0, bytes = 0;
    for (const Collective& c : plan.collectives)
      if (c.purpose == CollectivePurpose::GradientReduce)
        count += c.count, bytes += c.count * c.bytes;
    return std::pair(count, bytes);
  };
  const Plan whole = test::tinyPlan("data = 16", ""),
             pieces = test::tinyPlan("data = 16", "  gradient_bucket_size = 4MB\n"),
             behind = test::tinyPlan("data = 16",
                                     "  gradient_bucket_size = 4MB\n  overlap.gradients = false\n"),
             large = test::tinyPlan("data = 16", "  gradient_bucket_size = 1GB\n"),
             joined = test::tinyPlan("data = 16", "  gradient_bucket_size = 300MB\n");
  const auto [calls, bytes] = reductions(whole);
  EXPECT_EQ(calls, 12U);
  for (const Plan* plan : {&pieces, &behind}) {
    EXPECT_EQ(reductions(*plan).first, 12U * 4);
    EXPECT_NEAR(real(reductions(*plan).second), real(bytes), 1000);
  }
  EXPECT_EQ(reductions(large).first, 1U); // all layers fill less than a bucket
  EXPECT_NEAR(real(reductions(large).second), real(bytes), 1000);
  EXPECT_EQ(reductions(joined).first, 3U); // five layers, five, and the first two
  EXPECT_NEAR(real(reductions(joined).second), real(bytes), 1000);
  EXPECT_GT(callsOf(pieces, CollectivePurpose::GradientReduce, 0),
            1.5 * callsOf(whole, CollectivePurpose::GradientReduce, 0));
  EXPECT_GT(test::valueOf(pieces, "step_time"), test::valueOf(whole, "step_time"));
}

TEST(Exposure, OfCheckedCalls_IsTheHostThatWaits) {
  const auto step = [](const char* checks) {
    return test::valueOf(
        test::tinyPlan("data = 2, tensor = 8",
                       std::string("  overlap.gradients = false\n") +
                           "  communication_options.consistency_check = " + checks + "\n"),
        "step_time");
  };
  // In each of 32 passes two calls a layer of 12 either way, one of the embedding and one of the
  // head, of 8 ranks; behind them 12 of 2 ranks.
  EXPECT_NEAR(step("20ms") - step("10ms"), 0.01 * (32 * (12 * 4 + 2) * 8 + 12 * 2), 1e-6);
  // A host that is ahead costs nothing.
  EXPECT_EQ(step("1ns"), step("0ns"));
}

TEST(Exposure, OfTensorsThatBelongToRanks_IsACallAnOwner) {
  // 16 ranks for 12 layers: two owners a layer.
  const auto calls = [](const char* owners, CollectivePurpose purpose) {
    std::string rest = "  shard.optimizer = data\n  overlap.parameters = false\n  "
                       "communication_options.tensor_owners = ";
    rest.append(owners).append("\n");
    const Plan plan = test::tinyPlan("data = 16", rest);
    std::uint64_t count = 0, bytes = 0;
    for (const Collective& c : plan.collectives)
      if (c.purpose == purpose)
        count += c.count, bytes += c.count * c.bytes;
    return std::pair(count, bytes);
  };
  for (const CollectivePurpose purpose :
       {CollectivePurpose::GradientReduce, CollectivePurpose::ParameterGather}) {
    const auto [count, bytes] = calls("true", purpose);
    EXPECT_EQ(count, 24U);
    EXPECT_NEAR(real(bytes), real(calls("false", purpose).second), 100);
  }
}

TEST(Exposure, OfWhatContextRanksExchange_IsAsTheirProgramHasIt) {
  // 1024 tokens over 4 ranks, 16 heads of 64: of keys and values 1 MiB a rank, of all 4 MiB.
  const auto calls = [](const std::string& keys) {
    std::map<CollectiveKind, std::pair<std::uint64_t, std::uint64_t>> out; // calls, bytes of one
    for (const Collective& c : test::tinyPlan("data = 4, context = 4", keys).collectives)
      if (c.purpose == CollectivePurpose::ContextKeys)
        out[c.kind].first += c.count, out[c.kind].second = std::max(out[c.kind].second, c.bytes);
    return out;
  };
  constexpr std::uint64_t passes = 12 * 16, own = 256 * 2 * 1024 * 2;
  const auto ring = calls(""),
             gathered = calls("  communication_options.context_exchange = all_gather\n"),
             heads = calls("  communication_options.context_exchange = ulysses\n");
  ASSERT_EQ(ring.size(), 1U);
  EXPECT_EQ(ring.at(CollectiveKind::AllGather), std::pair(2 * passes, 2 * 4 * own));
  EXPECT_EQ(gathered.at(CollectiveKind::AllGather), std::pair(2 * passes, 4 * own));
  // In fp32 a rank sends its part of them four times, which a reduction of 16/3 of it does.
  EXPECT_EQ(gathered.at(CollectiveKind::ReduceScatter).first, passes);
  EXPECT_NEAR(real(gathered.at(CollectiveKind::ReduceScatter).second), 2 * own * 16 / 3.0, 1);
  // Queries beside keys and values, and what attention gives; either way.
  EXPECT_EQ(heads.at(CollectiveKind::AllToAll), std::pair(4 * passes, own / 2 + own));
  // Recomputation gathers once more; a compiled block once for that and the gradients.
  const std::string again =
      "  recompute = full\n  communication_options.context_exchange = all_gather";
  EXPECT_EQ(calls(again + "\n").at(CollectiveKind::AllGather).first, 3 * passes);
  const auto traced = calls(again + " { compiled = true }\n");
  EXPECT_EQ(traced.at(CollectiveKind::AllGather), std::pair(2 * passes, 4 * own));
  EXPECT_EQ(traced.at(CollectiveKind::ReduceScatter).first, passes);
  // A compiled exchange shows whole.
  const Plan compiled =
      test::tinyPlan("data = 4, context = 4",
                     "  communication_options.context_exchange = all_gather { compiled = true }\n  "
                     "cuda_graphs = true\n  overlap.gradients = false\n");
  EXPECT_NEAR(test::valueOf(compiled, "time.exposed.context"),
              callsOf(compiled, CollectivePurpose::ContextKeys, 0), 1e-9);
}

TEST(Exposure, OfARecomputationThatStopsEarly_IsACallLessALayer) {
  const auto count = [](const char* rest) {
    const Plan plan = test::completedPlan(
        "small.dpl",
        std::string("import std.models\nimport std.clusters\n"
                    "cluster pod from clusters.dgx_h100 { nodes = 2 }\n"
                    "model tiny from models.gpt2_small { dropout.hidden = 0, heads = 16,"
                    " hidden = 1024 }\nlayout train for tiny on pod {\n"
                    "  mesh { data = 2, tensor = 8 }\n  batch = 64seq\n"
                    "  recompute = full\n") +
            rest + "}\n");
    std::uint64_t all = 0;
    for (const Collective& c : plan.collectives)
      all += c.purpose == CollectivePurpose::TensorActivation ? c.count : 0;
    return all;
  };
  EXPECT_EQ(count("") - count("  early_stop = true\n"), 32U * 12);
  EXPECT_EQ(count("") - count("  early_stop = true\n  recompute.layers = 2\n"), 0U);
}

TEST(Exposure, OfLaunchesThatBlock_IsWhatTheyTakeBesideTheKernels) {
  const Plan ahead = test::tinyPlan("data = 2, tensor = 8", "  overlap.gradients = false\n"),
             waits = test::tinyPlan("data = 2, tensor = 8", "  launch_blocking = true\n");
  EXPECT_FALSE(waits.layout.overlap.gradients);
  for (const char* pass : {"layer[plain].forward", "layer[plain].backward"}) {
    const std::string of = pass;
    const double kernels = test::valueOf(ahead, (of + ".kernel_time").c_str()),
                 host = test::valueOf(ahead, (of + ".launch_time").c_str());
    EXPECT_NEAR(test::valueOf(ahead, pass), std::max(kernels, host), 1e-11);
    EXPECT_NEAR(test::valueOf(waits, pass), kernels + host, 1e-11);
  }
}

TEST(Exposure, OfCallsInAPassThatTheHostPaces_IsTheirLaunchesAndWhatOutlastsTheWait) {
  // A layer of 1024 on 8 tensor ranks takes its host far longer than the device: of its four
  // all-reduces a micro-batch their launches show, those of embedding and head show whole.
  const std::string mesh = "data = 2, tensor = 8", rest = "  overlap.gradients = false\n";
  const Plan host = test::tinyPlan(mesh, rest),
             graphs = test::tinyPlan(mesh, rest + "  cuda_graphs = true\n"),
             waits = test::tinyPlan(mesh, "  launch_blocking = true\n");
  const double all = callsOf(host, CollectivePurpose::TensorActivation, 0), calls = 4 * 12 + 2;
  EXPECT_NEAR(test::valueOf(graphs, "time.exposed.tensor"), all, 1e-9 * all);
  EXPECT_NEAR(test::valueOf(waits, "time.exposed.tensor"), all, 1e-9 * all);
  const double one = all / 32 / calls, launch = std::min(one, 55e-6);
  EXPECT_NEAR(test::valueOf(host, "time.exposed.tensor"), 32 * (2 * one + 48 * launch), 1e-6 * all);
}

TEST(Exposure, OfGathersBeforeNarrowProducts_IsOfTheirElements) {
  const Plan plan = test::tinyPlan("data = 2, tensor = 8",
                                   "  shard.sequence = tensor\n  precision.compute = fp8\n");
  std::map<CollectiveKind, double> bytes; // the largest: those of embedding and head are in 16 bits
  double least = 1e18;
  for (const Collective& c : plan.collectives)
    if (c.purpose == CollectivePurpose::TensorActivation) {
      bytes[c.kind] = std::max(bytes[c.kind], real(c.bytes));
      if (c.kind == CollectiveKind::AllGather)
        least = std::min(least, real(c.bytes));
    }
  EXPECT_EQ(bytes[CollectiveKind::ReduceScatter], 1024.0 * 1024 * 2);
  EXPECT_EQ(bytes[CollectiveKind::AllGather], 1024.0 * 1024 * 2);
  EXPECT_EQ(least, 1024.0 * 1024);
}

TEST(Exposure, OfScattersBehindSeveralProducts_IsTheirTimeWhereACompilerFindsPieces) {
  // Backward queries, keys and values make one of the two scatters of a layer wait; with a gate
  // both.
  const auto exposed = [](const char* stacked, const char* ffn) {
    const Plan plan = test::completedPlan(
        "small.dpl",
        std::string("import std.models\nimport std.clusters\n"
                    "model tiny from models.gpt2_small { hidden = 8192, heads = 64, ffn = ") +
            ffn +
            " }\ncluster pod from clusters.dgx_h100 { nodes = 1 }\n"
            "layout train for tiny on pod {\n  mesh { tensor = 8 }\n  batch = 8seq\n"
            "  micro_batch = 8seq\n  cuda_graphs = true\n  shard.sequence = tensor\n"
            "  overlap.tensor = true\n  communication_options.scatter_gather_copies = " +
            stacked + "\n}\n");
    std::uint64_t whole = 0;
    for (const StageProgram& program : plan.stagePrograms)
      for (const SegmentLoop& block : program.loops)
        for (const Segment& s : block.segments)
          whole += program.kind == ActionKind::Backward && block.count > 1 && s.asCollective() &&
                   s.asCollective()->holdsFor == s.time();
    return whole;
  };
  EXPECT_EQ(exposed("false", "plain { width = 32768 }"), 0U);
  EXPECT_EQ(exposed("true", "plain { width = 32768 }"), 1U);
  EXPECT_EQ(exposed("true", "gated { width = 32768 }"), 2U);
}

TEST(Exposure, PartsAddUpToTheStep) {
  for (const char* rest :
       {"", "  shard { optimizer = data, gradients = data, parameters = data }\n",
        "  overlap.tensor = true\n  shard.sequence = tensor\n"}) {
    const Plan plan = test::tinyPlan("pipeline = 2, data = 2, tensor = 4", rest);
    double sum = 0;
    for (const char* part : {"time.compute", "time.launch_bound", "time.recompute", "time.exposed",
                             "time.bubble", "time.optimizer", "time.jitter"})
      sum += figures::Figures(plan).value(part).value_or(0);
    EXPECT_NEAR(sum, test::valueOf(plan, "step_time"), 1e-9 * sum) << rest;
  }
}
