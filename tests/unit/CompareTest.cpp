//===- CompareTest.cpp - Traces with planted factors, and broken ones -------------------------===//
#include "backends/Target.h"
#include "cost/compute/ChunkEstimate.h"
#include "driver/compare/Comparison.h"
#include "driver/compare/Host.h"
#include "driver/compare/MatchTrace.h"
#include "ir/Names.h"
#include "support/Json.h"
#include "tests/unit/SchedulePlans.h"
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <unistd.h>

using namespace dpl;
using namespace dpl::compare;
using namespace dpl::test;
using testing::HasSubstr;
using PartKind = ComparedPart::PartKind;

namespace {
/// The number of traces that are planted.
unsigned traces() { return std::getenv("DPL_LONG") ? 200 : 20; } // NOLINT

/// A factor between a half and two, the same for equal words and seeds.
double factorOf(unsigned seed, const std::string& words) {
  std::uint64_t mixed = 1469598103934665603ULL + seed;
  for (const char c : words)
    mixed = (mixed ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return std::exp2(static_cast<double>(mixed >> 40) / static_cast<double>(1 << 23) - 1);
}

struct Compared {
  std::optional<Comparison> found;
  std::string said;
  const ComparedPart* part(PartKind kind, const std::string& name) const {
    const auto at = llvm::find_if(
        found->parts, [&](const ComparedPart& p) { return p.kind == kind && p.name == name; });
    return at == found->parts.end() ? nullptr : &*at;
  }
};

Compared compared(const ir::Plan& plan, const std::string& text, const char* name = "trace.json") {
  const std::string path = testing::TempDir() + fmt::format("dpl_compare_{}_{}", ::getpid(), name);
  std::ofstream(path, std::ios::binary) << text;
  DiagnosticEngine diags;
  FailureOr<Profile> profile = readProfile(path, 1, diags);
  std::filesystem::remove(path);
  Compared out;
  if (!profile.failed())
    if (FailureOr<Comparison> found = compareTraces(plan, {*profile}, diags); !found.failed())
      out.found = std::move(*found);
  out.said = diags.firstError();
  return out;
}

ir::Plan smallPlan() { return planOf("pipeline = 2, data = 2, tensor = 2", "", "8seq"); }

/// A profiler's trace of pipeline rank 0 of a plan, with kernels that take their predicted time
/// times the factor of their class.
class KernelTrace {
public:
  KernelTrace(const ir::Plan& plan, unsigned seed) : plan(plan), seed(seed) {
    const cost::ChunkEstimate estimate(plan);
    const std::vector<ir::Device> devices =
        cost::pacingDevices(plan, plan.mesh.rankNodeTypes.front());
    for (const ir::Chunk& chunk : plan.chunks)
      if (chunk.rank == 0)
        for (const cost::ChunkModule& module : estimate.modules(chunk))
          for (const cost::OperatorCost& op : estimate.operators(module))
            for (const auto direction :
                 {cost::GradientDirection::Forward, cost::GradientDirection::BackwardInput,
                  cost::GradientDirection::BackwardWeight})
              kernels(op, cost::operatorTime(op, direction, devices),
                      direction != cost::GradientDirection::Forward,
                      module.count * static_cast<double>(plan.microBatchesOfChunk()));
    for (const ir::Collective& c : plan.collectives)
      if (c.rank == 0)
        collective(c);
    add({{"ph", "X"},
         {"cat", "user_annotation"},
         {"name", "ProfilerStep#1"},
         {"pid", 1},
         {"tid", 1},
         {"ts", 0},
         {"dur", now}});
  }
  std::string text() const {
    return R"({"distributedInfo": {"rank": 0}, "traceEvents": [)" + events + "]}";
  }

private:
  static std::string kernelOf(const cost::OperatorCost& op, bool backward) {
    const std::string pass = backward ? "bwd" : "fwd";
    switch (classOf(op)) {
    case WorkClass::Gemm:
      return "nvjet_hsh_128x256_64x4_2x1_v_bz_coopA_NNT";
    case WorkClass::Attention:
      return "void flash_" + pass + "_kernel<Flash_" + pass + "_kernel_traits<128>>";
    case WorkClass::Norm:
      return "void transformer_engine::normalization::rmsnorm_" + pass + "_tuned_kernel";
    case WorkClass::Rotary:
      return "fused_rope_" + pass + "_kernel";
    case WorkClass::Activation:
      return "void transformer_engine::dgated_act_kernel<dsilu>";
    case WorkClass::Embedding:
      return "void at::native::(anonymous namespace)::indexSelectLargeIndex";
    case WorkClass::Loss:
      return "_cross_entropy_kernel";
    default:
      return "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add>";
    }
  }
  void add(const Json& event) { events += (events.empty() ? "" : ",\n") + event.dump(); }
  void kernels(const cost::OperatorCost& op, double seconds, bool backward, double count) {
    const double planted =
        seconds * 1e6 * factorOf(seed, keyOf(classOf(op)) + std::to_string(backward));
    for (unsigned i = 0; planted > 0 && i < static_cast<unsigned>(count); ++i) {
      Json arguments{{"External id", id}};
      if (op.kind == cost::OperatorCost::OperatorKind::Matmul)
        arguments["Input Dims"] =
            Json::array({Json::array({std::llround(op.m), std::llround(op.k)}),
                         Json::array({std::llround(op.k), std::llround(op.n)})});
      if (backward)
        host("autograd::engine::evaluate_function: Backward0", Json::object(), 9);
      host(classOf(op) == WorkClass::Embedding ? "aten::embedding" : "aten::op", arguments, 8);
      device(kernelOf(op, backward), planted, 7, Json::object());
    }
  }
  void host(const char* name, const Json& arguments, int duration) {
    add({{"ph", "X"},
         {"cat", "cpu_op"},
         {"name", name},
         {"pid", 1},
         {"tid", 1},
         {"ts", now},
         {"dur", duration},
         {"args", arguments}});
  }
  void device(const std::string& name, double duration, int stream, Json arguments) {
    add({{"ph", "X"},
         {"cat", "cuda_runtime"},
         {"name", "cudaLaunchKernel"},
         {"pid", 1},
         {"tid", 1},
         {"ts", now + 1},
         {"dur", 1},
         {"args", {{"correlation", ++id}}}});
    arguments["correlation"] = id, arguments["stream"] = stream;
    add({{"ph", "X"},
         {"cat", "kernel"},
         {"name", name},
         {"pid", 0},
         {"tid", stream},
         {"ts", now + 5},
         {"dur", std::round(duration * 1000) / 1000},
         {"args", arguments}});
    now += 10 + static_cast<std::int64_t>(duration);
  }
  void collective(const ir::Collective& c) {
    const std::string name = ir::name(c.kind);
    const double planted =
        static_cast<double>(c.time) * 1e-6 * factorOf(seed, name + ir::name(c.purpose));
    for (std::uint64_t i = 0; i < c.count; ++i)
      device("ncclDevKernel_x", planted, 20,
             {{"Collective name", name},
              {"In msg nelems", c.bytes / 2},
              {"Out msg nelems", c.bytes / 2},
              {"dtype", "BFloat16"},
              {"Group size", plan.groups[c.group].size}});
  }
  const ir::Plan& plan;
  unsigned seed;
  std::string events;
  std::int64_t now = 0;
  int id = 0;
};
} // namespace

TEST(Compare, FactorsOfKernelClassesAndCollectives_AreFound) {
  const ir::Plan plan = smallPlan();
  for (unsigned seed = 0; seed < traces(); ++seed) {
    const Compared result = compared(plan, KernelTrace(plan, seed).text());
    ASSERT_TRUE(result.found) << result.said;
    EXPECT_NEAR(result.found->assigned / result.found->kernelTime, 1, 1e-9);
    unsigned seen = 0;
    for (const char* name : {"GEMMs", "attention", "norms", "rotary positions", "activations",
                             "loss", "embedding", "other pointwise kernels"})
      for (const bool backward : {false, true})
        if (const ComparedPart* part = result.part(
                PartKind::Operator, std::string(name) + (backward ? ", backward" : ", forward")))
          for (std::size_t work = 0; work < workClasses; ++work)
            if (llvm::StringRef(nameOf(static_cast<WorkClass>(work))) == name &&
                part->predicted > 0) {
              const double planted =
                  factorOf(seed, keyOf(static_cast<WorkClass>(work)) + std::to_string(backward));
              ASSERT_TRUE(part->ratio()) << name;
              EXPECT_NEAR(*part->ratio() / planted, 1, 0.02) << name << " " << seed;
              ++seen;
            }
    EXPECT_GE(seen, 10U);
    for (const ir::Collective& c : plan.collectives)
      if (c.rank == 0 && c.count > 0) {
        const std::string words = std::string(ir::name(c.kind)) + " " + ir::name(c.purpose);
        const ComparedPart* part =
            result.part(PartKind::Collective, words + " over " + plan.groups[c.group].name);
        ASSERT_TRUE(part && part->ratio()) << words;
        EXPECT_NEAR(*part->ratio() /
                        factorOf(seed, std::string(ir::name(c.kind)) + ir::name(c.purpose)),
                    1, 0.02)
            << words;
      }
  }
}

TEST(Compare, GemmsAreFoundByTheShapesOfTheirInputs) {
  const ir::Plan plan = smallPlan();
  const Compared result = compared(plan, KernelTrace(plan, 3).text());
  ASSERT_TRUE(result.found) << result.said;
  const ComparedPart* up = result.part(PartKind::Gemm, "mlp up, forward");
  ASSERT_TRUE(up && up->ratio());
  EXPECT_NEAR(*up->ratio() / factorOf(3, "gemm0"), 1, 0.02);
}

TEST(Compare, FactorsOfAnEmittedTrace_AreFound) {
  const std::vector<ir::Plan> plans = {manyStreams(), mergedPairs("dualpipe_v"), smallPlan()};
  for (unsigned seed = 0; seed < traces(); ++seed) {
    const ir::Plan& plan = plans[seed % plans.size()];
    DiagnosticEngine diags;
    const FailureOr<std::vector<EmittedFile>> files =
        emit({*targetNamed("trace"), plan, {}, {}}, diags);
    ASSERT_FALSE(files.failed());
    Json trace = Json::parse(files->front().content);
    Json planted = Json::array();
    for (const Json& event : trace["traceEvents"]) {
      Json changed = event;
      if (event["ph"] == "X") {
        const std::string name = emittedName(
            event["name"].str(), event["args"].value("group", ""),
            event["args"].contains("bytes") ? event["args"]["bytes"].get<std::uint64_t>() : 0);
        changed["dur"] = event["dur"].get<double>() * factorOf(seed, event["cat"].str() + name);
      }
      planted.push_back(changed);
    }
    trace["traceEvents"] = planted;
    const Compared result = compared(plan, trace.dump());
    ASSERT_TRUE(result.found) << result.said;
    EXPECT_EQ(result.found->unassigned.size(), 0U);
    std::size_t ratios = 0;
    for (const ComparedPart& part : result.found->parts) {
      if (part.kind == PartKind::Step || part.measured < 1e-6)
        continue;
      const char* category = part.kind == PartKind::Action       ? "action"
                             : part.kind == PartKind::Collective ? "collective"
                                                                 : "compute";
      ASSERT_TRUE(part.ratio()) << part.name;
      const double ofStepEnd = factorOf(seed, "step_end" + part.name),
                   planned = factorOf(seed, category + part.name);
      const double off =
          part.kind == PartKind::Segment && std::abs(*part.ratio() / planned - 1) > 0.02
              ? *part.ratio() / ofStepEnd
              : *part.ratio() / planned;
      EXPECT_NEAR(off, 1, 0.02) << part.name << " " << seed;
      ++ratios;
    }
    EXPECT_GE(ratios, 3U);
  }
}

// A module under gloo has no kernels: the own times of operators take their place.
TEST(Compare, OperatorsOfTheHostAreCompared_WithoutADevice) {
  const ir::Plan plan = planOf("data = 8", "", "8seq");
  const auto event = [](const char* category, const char* name, int thread, int begin, int time) {
    return Json{{"ph", "X"},     {"cat", category}, {"name", name}, {"pid", 1},
                {"tid", thread}, {"ts", begin},     {"dur", time}};
  };
  const Json trace{
      {"distributedInfo", {{"rank", 1}, {"backend", "gloo"}}},
      {"traceEvents",
       {event("user_annotation", "ProfilerStep#4", 1, 0, 1000),
        event("cpu_op", "aten::linear", 1, 10, 300), event("cpu_op", "aten::addmm", 1, 20, 280),
        event("cpu_op", "aten::native_layer_norm", 1, 320, 40),
        event("cpu_op", "aten::native_layer_norm", 1, 900, 60),
        event("user_annotation", "gloo:all_reduce", 2, 500, 200)}}};
  const Compared result = compared(plan, trace.dump());
  ASSERT_TRUE(result.found) << result.said;
  EXPECT_TRUE(result.found->hostOnly);
  const ComparedPart *gemms = result.part(PartKind::Operator, "GEMMs, forward"),
                     *norms = result.part(PartKind::Operator, "norms, forward"),
                     *sums =
                         result.part(PartKind::Collective, "all_reduce gradient_reduce over data");
  ASSERT_TRUE(gemms && norms && sums);
  EXPECT_NEAR(gemms->measured, 300e-6, 1e-9);
  EXPECT_NEAR(norms->measured, 100e-6, 1e-9);
  EXPECT_NEAR(sums->measured, 200e-6, 1e-9);
  EXPECT_NEAR(result.found->assigned / result.found->kernelTime, 1, 1e-9);
}

TEST(Compare, AnnotationsOfSchedulesAreActions) {
  EXPECT_EQ(actionNamed("Forward 3"), ir::ActionKind::Forward);
  EXPECT_EQ(actionNamed("PP:1B0"), ir::ActionKind::Backward);
  EXPECT_EQ(actionNamed("2I11"), ir::ActionKind::BackwardInput);
  EXPECT_EQ(actionNamed("0W4"), ir::ActionKind::BackwardWeight);
  EXPECT_EQ(actionNamed("aten::mm"), std::nullopt);
  EXPECT_EQ(actionNamed("1F1B"), std::nullopt);
}

TEST(Compare, NamesOfKernelsHaveAClass) {
  EXPECT_EQ(
      classOf("void flash::compute_attn_ws<Flash_fwd_kernel_traits<192, cutlass::bfloat16_t>>"),
      WorkClass::Attention);
  EXPECT_EQ(classOf("Cijk_Alik_Bljk_SB_Bias_AS_SAV_UserArgs_MT64x16x32"), WorkClass::Gemm);
  EXPECT_EQ(classOf("void cutlass::device_kernel<deep_gemm::m_grouped_fp8_gemm>"),
            WorkClass::ExpertGemm);
  EXPECT_EQ(classOf("ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL"), WorkClass::Collective);
  EXPECT_EQ(classOf("void at::native::unrolled_elementwise_kernel<LoadWithCast<1>>"),
            WorkClass::Pointwise);
  EXPECT_EQ(classOf("triton_red_fused__to_copy_mean_mul_pow_rsqrt_1"), WorkClass::Norm);
  EXPECT_EQ(classOf("mine"), WorkClass::Other);
}

TEST(Compare, ShapesOfInputsAreThoseOfAGemm) {
  using Shape = GemmShape;
  EXPECT_EQ(gemmOfShapes("[[8192, 4096], [4096, 1024]]"), (Shape{1024, 4096, 8192, 4096}));
  EXPECT_EQ(gemmOfShapes("[[1024], [8192, 4096], [4096, 1024], [], []]"),
            (Shape{1024, 4096, 8192, 4096}));
  EXPECT_EQ(gemmOfShapes("[[2, 4096, 512], [1024, 512]]"), (Shape{512, 1024, 8192, 512}));
  EXPECT_EQ(gemmOfShapes("[[8192, 4096]]"), std::nullopt);
  EXPECT_EQ(gemmOfShapes("[[8, 4], [3, 2]]"), std::nullopt);
  EXPECT_EQ(gemmOfShapes("[[99999999999999999999, 4], [4, 2]]"), std::nullopt);
}

TEST(Compare, BrokenTraces_AreOneError) {
  const ir::Plan plan = smallPlan();
  const auto said = [&](const std::string& text) { return compared(plan, text).said; };
  EXPECT_THAT(said(""), HasSubstr("DPL1223"));
  EXPECT_THAT(said("[1, 2]"), HasSubstr("byte 1: `{` is needed"));
  EXPECT_THAT(said("{}"), HasSubstr("it has no `traceEvents`"));
  EXPECT_THAT(said(R"({"traceEvents": [{"ph": "X", "ts": "x"}]})"), HasSubstr("`x` is not a time"));
  EXPECT_THAT(said(R"({"traceEvents": [{"ph": "X", "name": "a)"),
              HasSubstr("ends inside a string"));
  EXPECT_THAT(said(R"({"traceEvents": []} x)"), HasSubstr("there is text after the trace"));
  EXPECT_THAT(said(std::string(100'000, '[')), HasSubstr("DPL1223"));
  EXPECT_THAT(said("{\"a\": " + std::string(100'000, '[')), HasSubstr("the text ends"));
  EXPECT_THAT(said("\x1f\x8b\x08 damaged"), HasSubstr("the compressed data are damaged"));
  EXPECT_THAT(said(R"({"traceEvents": []})"), HasSubstr("DPL1224"));
}
