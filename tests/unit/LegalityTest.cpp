//===- LegalityTest.cpp - The rules asked of a point are the rules that check-layout reports --===//
#include "cost/legality/Legality.h"
#include "SamplePlan.h"
#include "passes/Passes.h"
#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace dpl;
using cost::LayoutCandidate;
using cost::LegalityRule;

namespace {

/// The code that a pass reports a broken rule with, in the order of Rule.
constexpr const char* codes[] = {"",        "DPL0301", "DPL0303", "DPL0318", "DPL0337", "DPL0319",
                                 "DPL0380", "DPL0313", "DPL0311", "DPL0312", "DPL0450", "DPL0314",
                                 "DPL0309", "DPL0310", "DPL0315", "DPL0316", "DPL0338", "DPL0324",
                                 "DPL0340", "DPL0325", "DPL0364", "DPL0320", "DPL0323", "DPL0336",
                                 "DPL0321", "DPL0322", "DPL0326", "DPL0327", "DPL0328", "DPL0362",
                                 "DPL0366", "DPL0365", "DPL0392", "DPL0393"};
static_assert(std::size(codes) == static_cast<std::size_t>(LegalityRule::OffloadedParts) + 1);
const char* codeOf(LegalityRule rule) { return codes[static_cast<std::size_t>(rule)]; }

/// Random models, layouts and degrees: mostly legal ones, each rule broken now and then.
class Cases {
public:
  explicit Cases(unsigned seed) : random(seed) {}

  ir::Plan plan() {
    ir::Plan p = test::samplePlan();
    p.cluster.nodes = p.cluster.nodeTypes[0].nodes = one({2, 2, 6});
    p.cluster.levels = ir::linkLevels(p.cluster);
    p.model.context = one({4096, 4096, 6144, 1000});
    layers(p);
    if (rare())
      p.model.kind = "layer_list";
    p.layout.batch = one({64, 128, 512, 60});
    if (rare())
      p.layout.microBatchCosts = {1, 2, 3};
    if (often())
      p.cluster.nodeTypes[0].device.peak[ir::DataType::FP8] = 2'000'000'000'000'000;
    p.layout.precision.compute = one({ir::DataType::BF16, ir::DataType::BF16, ir::DataType::FP8});
    schedule(p.layout);
    recompute(p.layout.recompute);
    split(p);
    shard(p.layout.shard);
    if (rare())
      p.layout.dataRanks.emplace_back().loadBalancing = ir::LoadBalancingKind::Proportional;
    if (rare())
      p.layout.offload = {{.optimizer = 1, .gradients = true, .parameters = often()}};
    if (often())
      for (ir::NodeType& c : p.cluster.nodeTypes)
        c.device.hostLink = {{8'000'000'000, 8'000'000'000}};
    return p;
  }

  LayoutCandidate point(const ir::Plan& p) {
    LayoutCandidate candidate;
    std::uint64_t left = p.cluster.devices();
    for (std::uint32_t* degree :
         {&candidate.tensor, &candidate.context, &candidate.pipeline, &candidate.replica}) {
      *degree = static_cast<std::uint32_t>(one({1, 1, 1, 2, 2, 4, 8}));
      if (rare())
        *degree = 3;
      if (left % *degree != 0 && !rare())
        *degree = 1;
      left = std::max<std::uint64_t>(1, left / *degree);
    }
    candidate.data = static_cast<std::uint32_t>(left);
    if (cost::hasExperts(p.model)) {
      candidate.expert = static_cast<std::uint32_t>(one({1, 2, 4}));
      candidate.expertTensor = static_cast<std::uint32_t>(one({1, 1, 2}));
    }
    candidate.microBatch = static_cast<std::uint32_t>(one({1, 1, 2, 4}));
    candidate.sequenceParallel = p.layout.shard.sequence == ir::ShardAxis::Tensor;
    return candidate;
  }

private:
  template <class T> T one(std::initializer_list<T> of) { return of.begin()[random() % of.size()]; }
  std::uint64_t one(std::initializer_list<int> of) {
    return static_cast<std::uint64_t>(of.begin()[random() % of.size()]);
  }
  bool rare() { return random() % 12 == 0; }
  bool often() { return random() % 4 != 0; }

  void layers(ir::Plan& p) {
    ir::LayerType& dense = p.model.layerTypes[0];
    dense.attention.heads = one({32, 32, 24, 6});
    dense.attention.kvHeads = one({8, 8, 4, 3, 0});
    dense.feedForward.width = one({14336, 14336, 1001});
    if (rare()) {
      dense.recurrence.emplace_back();
      ir::Recurrence& r = dense.recurrence.front();
      r.heads = one({32, 24}), r.keyHeads = one({8, 4}), r.key = r.value = 64;
      r.taps = 4, r.chunk = 64;
    }
    p.model.runs = {{0, one({32, 32, 24, 7})}};
    if (often())
      return;
    ir::LayerType routed = dense;
    ir::FeedForward& f = routed.feedForward;
    f.kind = ir::FeedForwardKind::Experts;
    f.experts = one({8, 8, 6}), f.active = one({2, 2, 9});
    f.shared = one({0, 1, 2}), f.sharedWidth = one({1024, 999});
    p.model.layerTypes.push_back(routed);
    p.model.runs.push_back({1, 8});
  }
  void schedule(ir::Layout& l) {
    l.schedule =
        one({ir::ScheduleKind::OneForwardOneBackward, ir::ScheduleKind::GPipe,
             ir::ScheduleKind::Interleaved, ir::ScheduleKind::ZeroBubbleV,
             ir::ScheduleKind::DualPipeV, ir::ScheduleKind::DualPipe, ir::ScheduleKind::PipeDream});
    l.chunks = ir::chunksOf(l.schedule);
    if (l.chunks == 0)
      l.chunks = one({1, 2, 2, 4});
    if (rare())
      l.batch = 1 << 26;
  }
  void recompute(ir::Recompute& r) {
    if (often())
      return;
    r.inAdvance = true;
    r.kind = one({ir::RecomputeKind::Full, ir::RecomputeKind::Selective});
    if (r.kind == ir::RecomputeKind::Selective)
      r.modules = {one({ir::ModuleKind::CoreAttention, ir::ModuleKind::MlaUp})};
  }
  void split(ir::Plan& p) {
    ir::Layout& l = p.layout;
    l.split = one(
        {ir::SplitKind::Even, ir::SplitKind::Even, ir::SplitKind::Balanced, ir::SplitKind::Listed});
    if (rare())
      l.embeddingSlots = l.headSlots = one({1, 8});
    if (l.split != ir::SplitKind::Listed)
      return;
    const std::uint64_t entries = one({1, 2, 4, 8}), all = p.model.layers();
    l.splitLayers.assign(entries, all / entries);
    l.splitLayers.back() += all % entries + (rare() ? 1 : 0);
  }
  void shard(ir::Shard& s) {
    s.sequence = one({ir::ShardAxis::None, ir::ShardAxis::Tensor});
    s.optimizer = one({ir::ShardAxis::None, ir::ShardAxis::Data});
    if (rare())
      s.gradients = ir::ShardAxis::Data;
    if (rare())
      s.parameters = one({ir::ShardAxis::Data, ir::ShardAxis::Tensor});
  }

  std::mt19937 random;
};

void write(const LayoutCandidate& candidate, ir::Layout& layout, bool experts) {
  const auto axis = [](ir::Axis a, std::uint64_t size) {
    ir::AxisRequest request;
    request.axis = a, request.size = size;
    return request;
  };
  layout.mesh.axes = {
      axis(ir::Axis::Replica, candidate.replica), axis(ir::Axis::Pipeline, candidate.pipeline),
      axis(ir::Axis::Data, candidate.data), axis(ir::Axis::Context, candidate.context),
      axis(ir::Axis::Tensor, candidate.tensor)};
  layout.microBatch = candidate.microBatch;
  layout.mesh.hasExperts = experts;
  if (!experts)
    return;
  layout.mesh.experts = {axis(ir::Axis::ExpertData, 0), axis(ir::Axis::Expert, candidate.expert),
                         axis(ir::Axis::ExpertTensor, candidate.expertTensor)};
  layout.mesh.experts.front().rest = true;
}

/// The codes of errors that the passes up to the last that judges degrees report.
std::vector<std::string> reported(ir::Plan plan) {
  DiagnosticEngine diags;
  for (const auto& create : {createResolveMeshPass, createCheckLayoutPass, createPlaceRanksPass})
    if (create()->run(plan, diags).failed())
      break;
  std::vector<std::string> codesReported;
  for (const Diagnostic& d : diags.diagnostics())
    if (d.info.severity == Severity::Error)
      codesReported.emplace_back(d.info.code);
  return codesReported;
}

} // namespace

TEST(Legality, APointIsLegal_ExactlyWhereThePassesReportNothing) {
  Cases cases(7);
  std::map<std::string, unsigned> met;
  for (unsigned i = 0; i < 10'000; ++i) {
    ir::Plan plan = cases.plan();
    const LayoutCandidate candidate = cases.point(plan);
    write(candidate, plan.layout, cost::hasExperts(plan.model));
    const cost::LegalityInputs facts(plan.model, plan.cluster, plan.layout);
    const LegalityRule degrees = cost::brokenRule(facts, candidate);
    const std::vector<std::string> said = reported(plan);
    ASSERT_EQ(degrees == LegalityRule::None && facts.fixed == LegalityRule::None, said.empty())
        << "case " << i << ": rules " << codeOf(degrees) << " " << codeOf(facts.fixed)
        << ", reported " << (said.empty() ? "" : said.front()) << "\n"
        << ir::print(plan);
    ++met[codeOf(degrees)], ++met[codeOf(facts.fixed)];
    // One mistake gives one message: what follows from it is not reported.
    if (said.empty() || degrees == LegalityRule::MeshSize || degrees == LegalityRule::ExpertGrid ||
        facts.fixed != LegalityRule::None)
      continue;
    EXPECT_TRUE(degrees == LegalityRule::None ||
                std::count(said.begin(), said.end(), codeOf(degrees)))
        << "case " << i << ": " << codeOf(degrees);
  }
  for (const char* code : codes)
    EXPECT_GT(met[code], 0U) << code << " is never broken here";
}
