//===- CollectiveChoiceTest.cpp - The choice of algorithm and protocol by size ----------------===//
#include "cost/step/CollectiveChoice.h"
#include "backends/Target.h"
#include "backends/report/Collectives.h"
#include "cost/collectives/CollectiveCost.h"
#include "cost/network/LinkLoad.h"
#include "cost/network/RankLinks.h"
#include "ir/Arithmetic.h"
#include "ir/Names.h"
#include "support/Utf8.h"
#include "tests/unit/CompiledPlan.h"
#include "llvm/ADT/StringExtras.h"
#include <gmock/gmock.h>
#include <random>

using namespace dpl;
using namespace dpl::cost;
using testing::HasSubstr;
using testing::Not;

namespace {
ir::Plan planOn(const std::string& cluster, const std::string& mesh, const std::string& more = "") {
  return test::completedPlan("plan.dpl", "import std.models\nimport std.clusters\n"
                                         "cluster pod from clusters." +
                                             cluster +
                                             "\nlayout plan for models.llama3_8b on pod {\n"
                                             "  batch = 1152seq\n  micro_batch = 1seq\n  mesh { " +
                                             mesh + " }\n" + more + "}\n");
}

/// Rings and trees in a node, over nodes, in the switch; ports of two kinds; messages both ways.
std::vector<ir::Plan> plans() {
  std::vector<ir::Plan> out;
  out.push_back(planOn("dgx_h100 { nodes = 16 }", "data = 16, tensor = 8"));
  out.push_back(planOn("dgx_a100 { nodes = 8 }", "pipeline = 4, data = 8, tensor = 2",
                       "  shard { optimizer = data }\n"));
  out.push_back(planOn("gb200_nvl72 { nodes = 36 }", "data = 144"));
  out.push_back(planOn("dgx_h100 {\n  nodes = 8\n  node_pool[\"old\"] {\n    nodes = 4\n"
                       "    nic { bandwidth = 200Gbps per nic, latency = 20us }\n  }\n}",
                       "pipeline = 2, data = 8, tensor = 4",
                       "  shard { optimizer = data, gradients = data, parameters = data }\n"));
  out.push_back(
      planOn("dgx_h100 { nodes = 4, collectives = closed_form }", "data = 8, tensor = 4"));
  return out;
}

/// What collectives of a purpose have of the links in a step.
ir::LinkLevels linksOf(const ir::Plan& plan, ir::CollectivePurpose purpose) {
  return cost::levelsFor(plan, purpose, {plan.cluster.levels.begin(), plan.cluster.levels.end()});
}

bool has(const CollectiveChoices& choices, const std::string& group) {
  return llvm::is_contained(choices.groups, group);
}

AlgorithmUse chosenAt(const CollectiveChoices& choices, std::uint64_t bytes) {
  for (const ChoiceRange& range : choices.ranges)
    if (bytes >= range.first && bytes <= range.last)
      return range.choice;
  ADD_FAILURE() << bytes << " is in no range";
  return {};
}

std::size_t widestLine(llvm::StringRef text) {
  std::size_t widest = 0;
  while (!text.empty()) {
    const auto [line, rest] = text.split('\n');
    widest = std::max(widest, codePoints(line)), text = rest;
  }
  return widest;
}
} // namespace

TEST(CollectiveChoices, OfWhatTheLayoutSends_AreThoseOfThePasses) {
  std::size_t compared = 0;
  for (const ir::Plan& plan : plans()) {
    const std::vector<CollectiveChoices> all = collectiveChoices(plan);
    for (const ir::Collective& c : plan.collectives) {
      if (c.count == 0 || c.bytes == 0)
        continue;
      // An entry of its kind and group has this very call: size, algorithm, time and bytes.
      bool found = false;
      for (const CollectiveChoices& choices : all)
        for (const ChoicePoint& point : choices.points)
          found |=
              choices.kind == c.kind && has(choices, plan.groups[c.group].name) &&
              point.bytes == c.bytes && point.count > 0 && point.choice.algorithm == c.algorithm &&
              chosenAt(choices, c.bytes) == point.choice &&
              std::abs(ir::real(c.time) - point.seconds * 1e12) <= 1e-9 * ir::real(c.time) + 1 &&
              std::equal(c.bytesPerLevel.begin(), c.bytesPerLevel.end(), point.sent.begin(),
                         [](std::uint64_t a, double b) { return a == ir::whole(b); });
      EXPECT_TRUE(found) << ir::name(c.kind) << " over " << plan.groups[c.group].name << " on rank "
                         << c.rank << " of " << c.bytes;
      ++compared;
    }
  }
  EXPECT_GT(compared, 25U);
}

TEST(CollectiveChoices, RangesHoldEverySizeOnce_AndSayWhatIsChosen) {
  std::mt19937_64 random(1);
  std::size_t changes = 0;
  for (const ir::Plan& plan : plans())
    for (const CollectiveChoices& choices : collectiveChoices(plan)) {
      if (choices.groups.front() == "pipeline" || !choices.everyRank)
        continue; // their links are others than the group's
      const ir::Group& group = *plan.group(choices.groups.front());
      const auto of = llvm::find_if(plan.collectives, [&](const ir::Collective& c) {
        return c.kind == choices.kind && &plan.groups[c.group] == &group;
      });
      ASSERT_NE(of, plan.collectives.end());
      const ir::LinkLevels levels = linksOf(plan, of->purpose);
      const auto chosen = [&](std::uint64_t bytes) {
        return cost::collectiveCost(choices.kind, ir::real(bytes), {group.inside}, levels);
      };
      const auto same = [&](const AlgorithmUse& choice, std::uint64_t bytes) {
        const cost::CollectiveCost cost = chosen(bytes);
        return choice.algorithm == cost.algorithm &&
               llvm::StringRef(choice.protocol ? choice.protocol : "") ==
                   (cost.protocol ? cost.protocol->name : "");
      };
      EXPECT_EQ(choices.ranges.front().first, 0U);
      EXPECT_EQ(choices.ranges.back().last, UINT64_MAX);
      for (std::size_t i = 0; i + 1 < choices.ranges.size(); ++i, ++changes) {
        const ChoiceRange& range = choices.ranges[i];
        EXPECT_EQ(range.last + 1, choices.ranges[i + 1].first);
        EXPECT_NE(range.choice, choices.ranges[i + 1].choice);
        // To the byte.
        EXPECT_TRUE(same(range.choice, range.last)) << range.last;
        EXPECT_FALSE(same(range.choice, range.last + 1)) << range.last;
      }
      for (unsigned i = 0; i < 200; ++i) {
        const std::uint64_t bytes = (random() >> 24) >> (random() % 40);
        EXPECT_TRUE(bytes == 0 || same(chosenAt(choices, bytes), bytes)) << bytes;
      }
    }
  EXPECT_GT(changes, 7U);
}

TEST(CollectiveChoices, OfPortsOfTwoKinds_StandApartByPipelineRank) {
  const ir::Plan plan = plans()[3];
  std::set<std::string> links;
  for (const CollectiveChoices& choices : collectiveChoices(plan))
    if (choices.kind == ir::CollectiveKind::AllGather && has(choices, "data")) {
      EXPECT_FALSE(choices.everyRank);
      links.insert(plan.cluster.network.links[*choices.points.back().link].displayName());
    }
  EXPECT_THAT(links, testing::ElementsAre("old port", "port"));
}

TEST(CollectiveChoices, BusBandwidthIsThatOfNcclTests_AndBelowTheLinks) {
  const ir::Plan plan = plans()[0];
  std::size_t found = 0;
  for (const CollectiveChoices& choices : collectiveChoices(plan))
    for (const ChoicePoint& point : choices.points) {
      if (choices.kind != ir::CollectiveKind::AllReduce)
        continue;
      const double n = ir::real(choices.ranks);
      EXPECT_NEAR(point.busBandwidth, ir::real(point.bytes) / point.seconds * 2 * (n - 1) / n,
                  1e-9 * point.busBandwidth);
      EXPECT_GE(point.alone, point.busBandwidth * (1 - 1e-12));
      EXPECT_GT(point.busy, 0);
      EXPECT_LE(point.busy, 1);
      EXPECT_TRUE(!point.other || point.otherSeconds >= point.seconds);
      ++found;
    }
  EXPECT_GT(found, 20U);
}

TEST(NarrowestLink, IsTheOneWithLeastForADevice) {
  const auto word = [](const std::string& more, std::size_t level) {
    const ir::Plan plan = planOn("dgx_h100 { nodes = 16\n" + more + " }", "data = 16, tensor = 8");
    const std::uint64_t nominal = 0;
    return plan.cluster.network.links[cost::narrowestLink(plan.cluster, nominal, level)]
        .displayName();
  };
  EXPECT_EQ(word("", 0), "scale_up");
  EXPECT_EQ(word("", 1), "port");
  EXPECT_EQ(word("network { bandwidth = 100Gbps per gpu }", 1), "network");
  const std::string leaf = "leaf { nodes = 4, oversubscription = 4.0 }";
  EXPECT_EQ(word(leaf, 1), "port"); // inside a leaf
  EXPECT_EQ(word(leaf, 2), "leaf");
  EXPECT_EQ(word("leaf { nodes = 4 }\nspine { oversubscription = 2.0 }", 2), "spine");
  EXPECT_EQ(word(leaf + "\nsite { nodes = 8, bandwidth = 100Gbps per site, latency = 1ms }", 3),
            "site");
}

TEST(CollectivesReport, KeepsToTheWidth_AndHasEveryChange) {
  for (const ir::Plan& plan : plans()) {
    const std::vector<CollectiveChoices> all = collectiveChoices(plan);
    for (const unsigned width : {80U, 200U}) {
      const std::string text = report::collectivesText(all, plan.cluster, width);
      EXPECT_LE(widestLine(text), width);
      for (const CollectiveChoices& choices : all)
        for (const ChoiceRange& range : choices.ranges)
          EXPECT_THAT(text, HasSubstr(range.choice.text()));
    }
    const std::string picture = report::collectivesSvg(all, "plan");
    EXPECT_THAT(picture, Not(HasSubstr("nan")));
    EXPECT_THAT(picture, Not(HasSubstr("inf")));
    std::size_t curves = 0;
    for (std::size_t at = 0; (at = picture.find("<path d=\"M", at)) != std::string::npos; ++at)
      ++curves;
    EXPECT_GE(curves, 2 * all.size()); // and their lines of the legend
  }
}

TEST(CollectivesReport, JsonHasWhatTheChoicesHave) {
  const ir::Plan plan = plans()[1];
  const std::vector<CollectiveChoices> all = collectiveChoices(plan);
  const Json json = report::collectivesJson(all, plan.cluster);
  ASSERT_EQ(json.size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    ASSERT_EQ(json[i]["points"].size(), all[i].points.size());
    for (std::size_t p = 0; p < all[i].points.size(); ++p) {
      EXPECT_EQ(json[i]["points"][p]["seconds"], all[i].points[p].seconds);
      EXPECT_EQ(json[i]["points"][p]["bytes"], all[i].points[p].bytes);
    }
    EXPECT_TRUE(json[i]["ranges"].back()["last_bytes"].is_null());
  }
}

// ---- the file for NCCL's tuner

namespace {
/// One rule as plugins/tuner/example of NCCL documents it (README.md there).
struct TunerRule {
  std::string function, algorithm, protocol;
  std::uint64_t first = 0, last = 0;
  std::int64_t channels = 0, nodes = 0, ranks = 0;
};

/// Reads the documented format strictly: the plugin takes words that it does not know for others.
std::vector<TunerRule> rulesOf(llvm::StringRef text) {
  std::vector<TunerRule> rules;
  while (!text.empty()) {
    const auto [line, rest] = text.split('\n');
    text = rest;
    EXPECT_LT(line.size(), 255U) << line.str();
    if (line.empty() || line.startswith("#"))
      continue;
    llvm::SmallVector<llvm::StringRef> fields;
    line.split(fields, ',');
    if (fields.size() != 8) {
      ADD_FAILURE() << line.str();
      continue;
    }
    TunerRule rule{fields[0].str(), fields[3].str(), fields[4].str(), 0, 0, 0, 0, 0};
    EXPECT_FALSE(fields[1].getAsInteger(10, rule.first) || fields[2].getAsInteger(10, rule.last) ||
                 fields[5].getAsInteger(10, rule.channels) ||
                 fields[6].getAsInteger(10, rule.nodes) || fields[7].getAsInteger(10, rule.ranks))
        << line.str();
    EXPECT_THAT(rule.function, testing::AnyOf("allreduce", "allgather", "reducescatter"));
    EXPECT_THAT(rule.algorithm, testing::AnyOf("ring", "tree", "nvls", "nvls_tree"));
    EXPECT_THAT(rule.protocol, testing::AnyOf("ll", "ll128", "simple"));
    rules.push_back(std::move(rule));
  }
  return rules;
}

/// What the plugin takes: the first rule that fits.
std::string lookUp(const std::vector<TunerRule>& rules, const std::string& function,
                   std::uint64_t bytes, std::int64_t nodes, std::int64_t ranks) {
  for (const TunerRule& rule : rules)
    if (rule.function == function && bytes >= rule.first && bytes <= rule.last &&
        (rule.nodes == -1 || rule.nodes == nodes) && (rule.ranks == -1 || rule.ranks == ranks))
      return rule.algorithm + " " + rule.protocol;
  return "";
}

std::string emitted(const ir::Plan& plan, const std::string& file) {
  DiagnosticEngine diags;
  const Target& target = *targetNamed("nccl-tuner");
  const FailureOr<std::vector<EmittedFile>> files = emit({target, plan, {}, {}}, diags);
  if (files.failed())
    return "";
  for (const EmittedFile& one : *files)
    if (one.path == file)
      return one.text();
  return "";
}
} // namespace

TEST(NcclTuner, TheFileChooses_WhatThePlanDoes) {
  const std::map<ir::CollectiveKind, std::string> functions = {
      {ir::CollectiveKind::AllReduce, "allreduce"},
      {ir::CollectiveKind::AllGather, "allgather"},
      {ir::CollectiveKind::ReduceScatter, "reducescatter"}};
  std::size_t looked = 0;
  std::set<std::string> answers;
  for (const ir::Plan& plan : plans()) {
    if (plan.cluster.network.library != ir::CollectiveLibrary::Nccl ||
        !plan.cluster.nodeTypes.front().name.empty() || plan.cluster.nodeTypes.size() > 1)
      continue; // ports of two kinds look alike to the tuner
    const std::vector<TunerRule> rules = rulesOf(emitted(plan, "nccl_tuner.conf"));
    for (const ir::Collective& c : plan.collectives) {
      const auto function = functions.find(c.kind);
      if (function == functions.end() || c.count == 0)
        continue;
      const ir::Group& group = plan.groups[c.group];
      for (const std::uint64_t bytes : {c.bytes, c.bytes / 100, c.bytes / 10'000}) {
        const cost::CollectiveCost cost =
            cost::collectiveCost(c.kind, ir::real(bytes), {group.inside}, linksOf(plan, c.purpose));
        const auto domains = static_cast<std::int64_t>(group.size / group.inside.front());
        const std::string found =
            lookUp(rules, function->second, bytes, domains, static_cast<std::int64_t>(group.size));
        const std::string algorithm = cost.algorithm == ir::Algorithm::Ring         ? "ring"
                                      : cost.algorithm == ir::Algorithm::DoubleTree ? "tree"
                                      : domains > 1                                 ? "nvls_tree"
                                                                                    : "nvls";
        EXPECT_EQ(found, algorithm + " " + llvm::StringRef(cost.protocol->name).lower());
        answers.insert(found), ++looked;
      }
      // What is no communicator of the layout is left to NCCL.
      EXPECT_EQ(lookUp(rules, "broadcast", c.bytes, 1, 8), "");
      EXPECT_EQ(lookUp(rules, function->second, c.bytes, 3, 24), "");
    }
  }
  EXPECT_GT(looked, 20U);
  EXPECT_GT(answers.size(), 3U);
}

TEST(NcclTuner, ALongNameMakesNoRule) {
  ir::Plan plan = planOn("dgx_h100 { nodes = 2 }", "data = 2, tensor = 8");
  plan.layout.name = std::string(240, 'x') + "\xC3\xA9,allreduce,0,9,ring,ll,1,1,1";
  EXPECT_EQ(
      rulesOf(emitted(plan, "nccl_tuner.conf")).size(),
      rulesOf(emitted(planOn("dgx_h100 { nodes = 2 }", "data = 2, tensor = 8"), "nccl_tuner.conf"))
          .size());
}

TEST(NcclTuner, VariablesAllowWhatIsChosen_AndRings) {
  const std::string text =
      emitted(planOn("dgx_h100 { nodes = 16 }", "data = 16, tensor = 8"), "environment.sh");
  EXPECT_THAT(text,
              HasSubstr("export NCCL_TUNER_CONFIG_FILE=$nccl_tuner_folder/nccl_tuner.conf\n"));
  EXPECT_THAT(text, HasSubstr("# export NCCL_ALGO=\"allreduce:nvls,ring,tree\"\n"));
  EXPECT_THAT(text, Not(HasSubstr("NCCL_PROTO")));
}
