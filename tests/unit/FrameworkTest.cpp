//===- FrameworkTest.cpp - What a framework fills in, and whose files a layout is for ---------===//
#include "backends/Target.h"
#include "driver/workspace/Workspace.h"
#include "ir/FilledFields.h"
#include "ir/SetInFile.h"
#include "tests/SourceFolder.h"
#include "llvm/ADT/STLExtras.h"
#include <fstream>
#include <gmock/gmock.h>
#include <regex>
#include <set>

using namespace dpl;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

namespace {
constexpr const char* head = R"(
import std.models
import std.clusters
model   llm  from models.gpt2_small
cluster node from clusters.dgx_h100 { nodes = 1 }
)";

class Framework : public testing::Test {
protected:
  /// The last plan of the file, nothing computed.
  ir::Plan planOf(const std::string& blocks, const std::string& end = "") {
    Workspace workspace;
    DiagnosticEngine diags;
    workspace.overlay("plan.dpl", fmt::format("{}{}{}", head, blocks, end));
    unit = workspace.compile("plan.dpl", diags);
    if (diags.errors() > 0 || unit->file.failed() || unit->file->plans.empty()) {
      ADD_FAILURE() << renderText(diags, workspace.sources(), false);
      return {};
    }
    for (const FieldLevel& level : unit->history("last.overlap.gradients"))
      levels.push_back(level.level + ": " + level.value);
    return std::move(unit->file->plans.back());
  }
  static std::vector<std::string> filled(const ir::Plan& plan) {
    std::vector<std::string> out;
    for (const ir::FilledField& field : plan.framework.filled)
      out.push_back(field.path + " = " + field.value);
    return out;
  }
  std::unique_ptr<CompiledUnit> unit;
  std::vector<std::string> levels;
};

constexpr const char* plain = "layout last for llm on node {\n mesh { data = 8 }, batch = 64seq\n";
} // namespace

TEST_F(Framework, FillsInWhatTheLayoutLeavesOpen) {
  const ir::Plan open = planOf(plain, "}");
  EXPECT_TRUE(open.layout.overlap.gradients && open.layout.overlap.parameters);
  EXPECT_EQ(open.framework.name, "");
  const ir::Plan plan = planOf(plain, "framework = megatron { version = \"0.19\" }\n}");
  EXPECT_FALSE(plan.layout.overlap.gradients || plan.layout.overlap.parameters);
  EXPECT_EQ(plan.framework.text(), "megatron 0.19");
  EXPECT_THAT(filled(plan), ElementsAre("overlap.gradients = false", "overlap.parameters = false",
                                        "overlap.pipeline = false", "vocab_multiple = 128",
                                        "kernels.norm = fused", "kernels.rotary = fused",
                                        "kernels.activation = fused", "kernels.loss = in_place"));
  // What is filled in counts as a default: nobody wrote it.
  EXPECT_EQ(plan.layout.ranges.count("overlap.gradients"), 0U);
}

TEST_F(Framework, OfExperts_IsWhatThoseWhoTrainWithItDo) {
  const std::string experts = "model moe from models.qwen3_30b_a3b\n"
                              "cluster rack from clusters.gb200_nvl72 { nodes = 18 }\n";
  const auto kernelsOf = [&](const std::string& on, const std::string& rest) {
    return planOf(experts + "layout last for moe on " + on +
                      " {\n mesh { data = rest, experts { expert = 8 } }, batch = 576seq\n",
                  rest + "}")
        .layout.kernels;
  };
  for (const char* framework : {"", "framework = megatron\n"}) {
    const ir::Kernels kernels = kernelsOf("node", framework);
    EXPECT_EQ(kernels.dispatch, ir::DispatchKind::DeepEp) << framework;
    EXPECT_EQ(kernels.permutation, ir::KernelKind::Fused) << framework;
    EXPECT_EQ(kernels.router, ir::KernelKind::Fused) << framework;
    EXPECT_EQ(kernelsOf("rack", framework).dispatch, ir::DispatchKind::HybridEp) << framework;
  }
  for (const char* framework : {"deepspeed", "torchtitan", "accelerate", "pytorch", "nanotron",
                                "megatron_2021", "llm_foundry", "maxtext"}) {
    const ir::Kernels kernels = kernelsOf("node", std::string("framework = ") + framework + "\n");
    EXPECT_EQ(kernels.dispatch, ir::DispatchKind::AllToAll) << framework;
    EXPECT_EQ(kernels.permutation, ir::KernelKind::Separate) << framework;
  }
  // A layer whose tokens choose two experts, or with padded rows, uses the all-to-all dispatcher.
  EXPECT_EQ(planOf("model moe from models.mixtral_8x7b\nlayout last for moe on node {\n"
                   " mesh { data = 8, experts { expert = 8 } }, batch = 64seq\n}")
                .layout.kernels.dispatch,
            ir::DispatchKind::AllToAll);
  EXPECT_EQ(
      planOf("model moe from models.mixtral_8x7b { layer.ffn { capacity_factor = 1.0, "
             "pad_to_capacity = true "
             "} }\nlayout last for moe on node {\n mesh { data = 8, experts { expert = 8 } }, "
             "batch = 64seq\n}")
          .layout.kernels.dispatch,
      ir::DispatchKind::AllToAll);
}

TEST_F(Framework, WrittenFieldsWin_AtEveryLevel) {
  const std::string in = "framework = megatron { version = \"0.19\" }\n";
  const ir::Plan plan = planOf(plain, in + "overlap.gradients = true\n}");
  EXPECT_TRUE(plan.layout.overlap.gradients);
  EXPECT_FALSE(plan.layout.overlap.parameters);
  EXPECT_EQ(filled(plan).size(), 7U);
  EXPECT_THAT(filled(plan), Not(Contains(HasSubstr("overlap.gradients"))));
  EXPECT_THAT(levels,
              ElementsAre("schema default: true", "framework megatron 0.19: false", "block: true"));
  // A base is written too, also where the child names the framework.
  EXPECT_TRUE(
      planOf("layout base { overlap.gradients = true }\n"
             "layout last from base for llm on node {\n mesh { data = 8 }, batch = 64seq\n" +
             in + "}")
          .layout.overlap.gradients);
  EXPECT_TRUE(planOf(plain, in + "overlap = overlap\n}").layout.overlap.gradients);
}

TEST_F(Framework, OfAChild_TakesThePlaceOfItsBases) {
  const ir::Plan plan = planOf(plain, "framework = megatron\n}\n"
                                      "layout other from last { framework = torchtitan }");
  EXPECT_TRUE(plan.layout.overlap.gradients) << "torchtitan's files say nothing of it";
  EXPECT_EQ(plan.layout.vocabMultiple, 1U);
  EXPECT_EQ(plan.layout.shard.parameters, ir::ShardAxis::Data);
  EXPECT_EQ(plan.framework.text(), "torchtitan");
}

TEST_F(Framework, MayDependOnWhatTheLayoutSays) {
  const auto overlap = [&](const char* more) {
    return planOf(plain, std::string(more) + "\n}").layout.overlap;
  };
  EXPECT_FALSE(overlap("framework = deepspeed\nshard { optimizer = data }").gradients);
  EXPECT_TRUE(overlap("framework = deepspeed\n"
                      "shard { parameters = data, gradients = data, optimizer = data }")
                  .gradients);
  EXPECT_FALSE(overlap("framework = megatron").pipeline);
  EXPECT_TRUE(overlap("framework = megatron\nschedule = interleaved_1f1b { chunks = 2 }").pipeline);
}

namespace {
/// A change of a layout: as the file writes it, the fields that it sets, and what it makes of a
/// plan.
struct LayoutChange {
  const char* line;
  std::vector<std::string> fields;
  std::function<void(ir::Layout&)> apply;
};

std::vector<LayoutChange> layoutChanges() {
  using enum ir::ShardAxis;
  return {
      {"schedule = gpipe",
       {"schedule"},
       [](ir::Layout& l) { l.schedule = ir::ScheduleKind::GPipe; }},
      {"shard.optimizer = data",
       {"shard.optimizer"},
       [](ir::Layout& l) { l.shard.optimizer = Data; }},
      {"shard { optimizer = data, gradients = data, parameters = data }",
       {"shard.optimizer", "shard.gradients", "shard.parameters"},
       [](ir::Layout& l) { l.shard.optimizer = l.shard.gradients = l.shard.parameters = Data; }},
      {"shard.sequence = tensor",
       {"shard.sequence"},
       [](ir::Layout& l) { l.shard.sequence = Tensor, l.shard.sequenceGiven = true; }},
      {"overlap.tensor = true", {"overlap.tensor"}, [](ir::Layout& l) { l.overlap.tensor = true; }},
      {"precision { gradients = bf16, reduce = bf16 }",
       {"precision.gradients", "precision.reduce"},
       [](ir::Layout& l) { l.precision.gradients = l.precision.reduce = ir::DataType::BF16; }},
  };
}

/// The paths of layouts that rules of the library read: "shard.parameters". What the layout says of
/// its framework is read too, but no change sets it.
std::set<std::string> pathsThatRulesRead() {
  std::ifstream in(test::sourceFolder() / "stdlib/frameworks.dpl");
  const std::string library{std::istreambuf_iterator<char>(in), {}};
  std::set<std::string> out;
  const std::regex path("\\blayout\\.([a-z_.]+)");
  for (std::sregex_iterator at(library.begin(), library.end(), path), end; at != end; ++at)
    if ((*at)[1].str().rfind("framework.", 0) != 0)
      out.insert((*at)[1].str());
  return out;
}
} // namespace

TEST_F(Framework, RulesThatReadAField_AreUpdatedWhenItChanges) {
  std::set<std::string> changed;
  for (const LayoutChange& change : layoutChanges())
    changed.insert(change.fields.begin(), change.fields.end());
  const std::set<std::string> read = pathsThatRulesRead();
  EXPECT_GE(read.size(), 7U);
  for (const std::string& path : read)
    EXPECT_TRUE(changed.count(path)) << path;
}

/// A change of the plan, updated, is what the file comes to that says the change.
TEST_F(Framework, FieldsThatFollowOthers_AreUpdatedAsTheLibraryHasThem) {
  const auto textOf = [](ir::Plan plan) {
    plan.hash.clear();
    return ir::print(plan);
  };
  std::size_t moved = 0;
  for (const char* framework :
       {"megatron", "deepspeed", "accelerate", "torchtitan", "torchtitan { compiled = true }",
        "torchtitan { version = \"0.2.2\" }", "torchtitan { version = \"0.2\", compiled = true }",
        "torchtitan { version = \"0.3\" }", "torchtitan { version = \"0.3.0\", compiled = true }",
        "pytorch", "nanotron", "megatron_2021", "llm_foundry", "maxtext"})
    for (const LayoutChange& change : layoutChanges()) {
      const std::string named = fmt::format("framework = {}\n", framework);
      ir::Plan plan = planOf(plain, named + "}");
      change.apply(plan.layout);
      for (const std::string& field : change.fields)
        ir::markSetInFile(plan, field);
      const std::string before = textOf(plan);
      ir::updateFilledFields(plan);
      moved += textOf(plan) != before ? 1 : 0;
      EXPECT_EQ(textOf(plan), textOf(planOf(plain, named + change.line + "\n}")))
          << framework << " " << change.line;
    }
  // Six layouts of torchtitan follow the schedule, `overlap.tensor` and the precision; that of
  // Megatron-LM follows the schedule, DeepSpeed's three changes, Accelerate's and nanotron's two,
  // the last one one.
  EXPECT_EQ(moved, 6 * 3 + 1 + 3 + 2 + 2 + 1U);
}

TEST_F(Framework, WithAnOpenSchedule_FillsInWhatGoesWithTheDefault) {
  for (const char* framework : {"megatron", "torchtitan"}) {
    ir::Plan plan = planOf(plain, fmt::format("framework = {}\nschedule = auto\n}}", framework));
    EXPECT_FALSE(plan.layout.overlap.pipeline) << framework;
    plan.layout.schedule = ir::ScheduleKind::Interleaved, plan.layout.chunks = 2;
    ir::updateFilledFields(plan);
    EXPECT_TRUE(plan.layout.overlap.pipeline) << framework;
    // What a change has written stays.
    plan.layout.overlap.pipeline = false;
    ir::markSetInFile(plan, "overlap.pipeline");
    ir::updateFilledFields(plan);
    EXPECT_FALSE(plan.layout.overlap.pipeline) << framework;
  }
}

TEST_F(Framework, WithoutATarget_FillsInWhatItsProgramsHold) {
  const auto layout = [&](const char* name) {
    return planOf(plain, fmt::format("framework = {}\n}}", name)).layout;
  };
  const ir::Layout early = layout("megatron_2021");
  EXPECT_EQ(early.shard.messages, ir::ShardAxis::Tensor);
  EXPECT_FALSE(early.fusedAttention || early.overlap.gradients);
  const ir::Layout foundry = layout("llm_foundry");
  EXPECT_EQ(foundry.shard.stage(), 3U);
  EXPECT_EQ(foundry.precision.reduce, ir::DataType::BF16);
  EXPECT_EQ(foundry.kernels.loss, ir::LossKind::Fused);
  const ir::Layout maxtext = layout("maxtext");
  EXPECT_EQ(maxtext.recompute.kind, ir::RecomputeKind::Full);
  EXPECT_TRUE(maxtext.communication().earlyStop);
  EXPECT_EQ(maxtext.precision.parameters, ir::DataType::FP32);
}

TEST_F(Framework, Torchtitan_HoldsEachWeightOnce) {
  const ir::Precision titan = planOf(plain, "framework = torchtitan\n}").layout.precision;
  EXPECT_EQ(titan.parameters, ir::DataType::FP32);
  EXPECT_FALSE(titan.hasMaster);
}

TEST_F(Framework, Torchtitan_IsEagerOrCompiled) {
  const auto kernels = [&](const char* fields) {
    return planOf(plain, fmt::format("{}\n}}", fields)).layout.kernels;
  };
  const ir::Kernels eager = kernels("framework = torchtitan"),
                    compiled = kernels("framework = torchtitan { compiled = true }"),
                    own = kernels("framework = torchtitan\nkernels.activation = fused");
  EXPECT_EQ(eager.activation, ir::KernelKind::Separate);
  EXPECT_EQ(eager.loss, ir::LossKind::Eager);
  EXPECT_EQ(compiled.activation, ir::KernelKind::Fused);
  EXPECT_EQ(compiled.loss, ir::LossKind::Compiled);
  EXPECT_EQ(own.activation, ir::KernelKind::Fused) << "what is written wins";
  EXPECT_EQ(planOf(plain, "framework = torchtitan { compiled = true, version = \"0.3\" }\n}")
                .framework.text(),
            "torchtitan 0.3 compiled");
}

/// Release 0.3.0 compiles the permutation of tokens, 0.2.2 does not. A layout without a version is
/// for the newest release, and what the layout is predicted with is what its target writes.
TEST_F(Framework, Torchtitan_PermutesAsTheReleaseThatItsTargetWrites) {
  const Target& titan = *targetNamed("torchtitan");
  for (const auto& [version, newer] :
       {std::pair("", true), std::pair("0", true), std::pair("0.3", true), std::pair("0.3.0", true),
        std::pair("v0.3", true), std::pair("0.2", false), std::pair("0.2.2", false),
        std::pair("v0.2.2", false)}) {
    const std::string named = *version ? fmt::format(", version = \"{}\"", version) : "";
    const ir::Plan plan =
        planOf(plain, fmt::format("framework = torchtitan {{ compiled = true{} }}\n}}", named));
    EXPECT_EQ(plan.layout.kernels.permutation,
              newer ? ir::KernelKind::Fused : ir::KernelKind::Separate)
        << version;
    EXPECT_EQ(releaseFor(titan, plan).text(), newer ? "0.3.0" : "0.2.2") << version;
  }
}

TEST_F(Framework, Pytorch_IsEagerOrCompiled) {
  const auto plan = [&](const char* fields) {
    return planOf(plain, fmt::format("{}\n}}", fields));
  };
  const ir::Kernels eager = plan("framework = pytorch").layout.kernels;
  EXPECT_EQ(eager.rotary, ir::KernelKind::Separate);
  EXPECT_EQ(eager.activation, ir::KernelKind::Separate);
  EXPECT_EQ(eager.loss, ir::LossKind::Eager);
  const ir::Plan compiled = plan("framework = pytorch { compiled = true }");
  EXPECT_EQ(compiled.layout.kernels.rotary, ir::KernelKind::Fused);
  EXPECT_EQ(compiled.layout.kernels.activation, ir::KernelKind::Fused);
  EXPECT_EQ(compiled.layout.kernels.loss, ir::LossKind::Compiled);
  EXPECT_EQ(compiled.framework.text(), "pytorch compiled");
}

TEST_F(Framework, ThatHangsOnWhatItFillsIn_IsDecidedBeforeIt) {
  const ir::Plan plan = planOf(plain, "framework = if overlap.gradients then megatron "
                                      "else deepspeed\n}");
  EXPECT_EQ(plan.framework.name, "megatron");
  EXPECT_EQ(filled(plan).size(), 8U);
}

/// What its programs hold outside of tensors counts, too.
TEST_F(Framework, IsPartOfTheHash_AsWhatItFillsInIs) {
  const ir::Plan open = planOf(plain, "}");
  const ir::Plan same = planOf(plain, "framework = pytorch\n}");
  const ir::Plan other = planOf(plain, "framework = megatron\n}");
  EXPECT_NE(open.hash, same.hash);
  EXPECT_NE(same.hash, other.hash);
}

/// Every framework that can be named has a target, and the reverse; launchers and programs take
/// all.
TEST_F(Framework, EachTarget_AnswersForEach) {
  for (const Target* named : allTargets()) {
    if (named->role != TargetRole::Framework)
      continue;
    const ir::Plan plan = planOf(fmt::format("{}framework = {}\n}}", plain, named->name));
    EXPECT_EQ(plan.framework.name, named->name);
    for (const Target* target : allTargets()) {
      DiagnosticEngine diags;
      const bool takes = target->role != TargetRole::Framework || target == named;
      EXPECT_EQ(checkFramework({*target, plan, target->newest(), {}}, diags).succeeded(), takes)
          << named->name << " " << target->name;
    }
  }
}

TEST_F(Framework, ReleaseOfTheLayout_IsTheOneThatIsWritten) {
  const Target& megatron = *targetNamed("megatron");
  const auto plan = [&](const char* version) {
    return planOf(fmt::format("{}framework = megatron {{ version = \"{}\" }}\n}}", plain, version));
  };
  EXPECT_EQ(releaseFor(megatron, plan("0.16")).text(), "0.16");
  EXPECT_EQ(releaseFor(megatron, plan("0.16.1")).text(), "0.16");
  EXPECT_EQ(releaseFor(megatron, planOf(plain, "}")).text(), megatron.newest().text());
  DiagnosticEngine diags;
  EXPECT_TRUE(checkFramework({megatron, plan("0.16.1"), "0.16", {}}, diags).succeeded());
  EXPECT_TRUE(checkFramework({megatron, plan("0.16"), "0.19", {}}, diags).failed());
  EXPECT_TRUE(checkFramework({megatron, plan("0.1"), releaseFor(megatron, plan("0.1")), {}}, diags)
                  .failed());
  EXPECT_TRUE(checkFramework({megatron, plan("main"), megatron.newest(), {}}, diags).failed());
}
