//===- MetamorphicTest.cpp - What must hold between two runs of the passes --------------------===//
//
// Of random legal plans: a faster machine is never slower, more memory never turns a fit into a
// misfit, more to keep never lowers a peak, names and the order of what is counted change nothing.
// DPL_PROPERTY_PLANS sets how many plans are made (300).
#include "cost/memory/OutsideTensors.h"
#include "cost/memory/RankMemory.h"
#include "cost/memory/SegmentReplay.h"
#include "cost/partition/MakeChunks.h"
#include "cost/schedules/StepSweep.h"
#include "figures/Figures.h"
#include "ir/Arithmetic.h"
#include "ir/Names.h"
#include "passes/Pass.h"
#include "tests/property/RandomPlan.h"
#include <cmath>
#include <gtest/gtest.h>
#include <map>

using namespace dpl;
using namespace dpl::ir;

namespace {
bool complete(Plan& plan) {
  DiagnosticEngine unheard;
  return runPipeline(plan, unheard, {}).succeeded();
}

double figure(const Plan& plan, const char* path) {
  const std::optional<double> value = figures::Figures(plan).value(path);
  EXPECT_TRUE(value) << path;
  return value.value_or(std::nan(""));
}

/// Calls `check(seed, as made, completed)` for each plan that the passes accept.
template <class F> void forEachPlan(F check) {
  std::uint64_t legal = 0, made = test::plansToMake();
  for (std::uint64_t seed = 1; seed <= made; ++seed) {
    const Plan plan = test::randomPlan(seed);
    Plan done = plan;
    if (!complete(done))
      continue;
    ++legal;
    check(seed, plan, done);
    if (testing::Test::HasFailure())
      return;
  }
  EXPECT_GE(legal * 10, made * 9) << "the maker is to make legal plans";
}

void eachDevice(Plan& plan, void (*change)(Device&)) {
  for (NodeClass& c : plan.cluster.classes)
    change(c.device);
}

LinkClass& link(Plan& plan, LinkKind kind) {
  return const_cast<LinkClass&>(*plan.cluster.network.find(kind));
}

struct Change {
  const char* name;
  void (*apply)(Plan&);
};
constexpr Change faster[] = {
    // A speed is a share of the nominal speed, so that no device runs above its peak.
    {"the nominal speed", [](Plan& p) { eachDevice(p, [](Device& d) { d.speed = 1; }); }},
    {"twice the peak",
     [](Plan& p) {
       eachDevice(p, [](Device& d) {
         for (auto& [type, peak] : d.peak)
           peak *= 2;
       });
     }},
    {"three times the memory bandwidth",
     [](Plan& p) { eachDevice(p, [](Device& d) { d.memoryBandwidth *= 3; }); }},
    {"half the launch", [](Plan& p) { eachDevice(p, [](Device& d) { d.launch /= 2; }); }},
    {"graphs", [](Plan& p) { p.layout.graphs = true; }},
    {"fused kernels",
     [](Plan& p) {
       Kernels& k = p.layout.kernels;
       k.norm = k.rotary = k.activation = k.router = KernelKind::Fused;
       k.loss = LossKind::Fused, k.transposed = false, k.joined = true;
       // One kernel that sorts what was gathered goes through the tokens of all ranks twice, those
       // that it replaces once (docs/cost-model.md).
       if (k.dispatch != DispatchKind::AllGather)
         k.permutation = KernelKind::Fused;
     }},
    {"half the saturation", [](Plan& p) { eachDevice(p, [](Device& d) { d.saturation /= 2; }); }},
    {"faster attention",
     [](Plan& p) { eachDevice(p, [](Device& d) { d.sustainedAttention = 1; }); }},
    {"no contention", [](Plan& p) { eachDevice(p, [](Device& d) { d.contention = 0; }); }},
    {"a faster inner link", [](Plan& p) { link(p, LinkKind::ScaleUp).bandwidth *= 4; }},
    {"faster ports and network",
     [](Plan& p) {
       for (LinkClass& l : p.cluster.network.links)
         if (l.kind == LinkKind::Network || l.kind == LinkKind::Port)
           l.bandwidth *= 4;
     }},
    {"half the latency",
     [](Plan& p) {
       for (LinkClass& l : p.cluster.network.links)
         l.latency /= 2;
     }},
};
} // namespace

namespace {
/// Seconds of the step with the order of passes that another has.
double stepInOrderOf(const Plan& ordered, Plan plan) {
  plan.schedule = ordered.schedule;
  return toSeconds(cost::StepSweep(plan).run([](const Collective&) { return true; }));
}

/// What a faster machine may lose where split and order are found anew: 1 %, but for these of
/// 10,000 plans.
double foundAnew(std::uint64_t seed) {
  static const std::map<std::uint64_t, double> named = {
      // Several chunks of a rank, unlike layers in the last two: the searches of both machines end
      // in different places, these two after some 2,000 splits.
      {383, 0.044},
      {1529, 0.019},
      {7963, 0.012},
      // `zb_1p`, `zb_2p` and `zb_v_timed` order by rules of thumb, no monotone functions of times.
      {1860, 0.015},
      {5433, 0.036},
      {6658, 0.012},
      // `zb_auto` of one rank, which does not see what calls beside its passes hide.
      {2425, 0.025},
      {2590, 0.086},
      {5780, 0.02},
      {5785, 0.026},
      {7712, 0.021},
      {8387, 0.034},
  };
  const auto found = named.find(seed);
  return found == named.end() ? 0.01 : found->second;
}

/// `slack`: of a faster machine with the same split and the same order.
void expectNeverSlower(std::uint64_t seed, const Plan& plan, const Plan& done, double slack) {
  const bool byTime = cost::scheduleInfo(plan.layout.schedule).byTime;
  const double before = figure(done, "step_time");
  const double inOrder = byTime ? stepInOrderOf(done, done) : before;
  Plan held = plan;
  cost::listSplit(held.layout, done);
  for (const Change& change : faster) {
    Plan same = held, anew = plan;
    for (Plan* changed : {&same, &anew}) {
      change.apply(*changed);
      changed->cluster.levels = linkLevels(changed->cluster);
    }
    ASSERT_TRUE(complete(same) && complete(anew)) << change.name << ", plan " << seed;
    EXPECT_LE(byTime ? stepInOrderOf(done, same) : figure(same, "step_time"), inOrder * (1 + slack))
        << change.name << ", plan " << seed;
    EXPECT_LE(figure(anew, "step_time"), before * (1 + foundAnew(seed)))
        << change.name << ", plan " << seed;
  }
}
} // namespace

TEST(Metamorphic, AFasterMachine_IsNeverSlower) {
  std::uint64_t byTime = 0;
  forEachPlan([&](std::uint64_t seed, const Plan& plan, const Plan& done) {
    byTime += cost::scheduleInfo(plan.layout.schedule).byTime;
    // Calls take a stream in the order in which they begin: one that begins earlier may then hold
    // up one that more passes wait for. Of 10,000 plans the worst is plan 6295, 0.12 %, without
    // reductions beside backward passes 6363, 0.014 %, and of what runs for ever none; with an
    // order by what passes take, which is held, 0.01 % at most.
    const double slack = cost::scheduleInfo(plan.layout.schedule).byTime   ? 1e-4
                         : plan.layout.schedule == ScheduleKind::PipeDream ? 1e-6
                         : plan.layout.overlap.gradients                   ? 2e-3
                                                                           : 2e-4;
    expectNeverSlower(seed, plan, done, slack);
  });
  EXPECT_GE(byTime * 12, test::plansToMake());
}

TEST(Metamorphic, MoreMemory_NeverTurnsAFitIntoAMisfit) {
  forEachPlan([](std::uint64_t seed, const Plan& plan, const Plan& done) {
    std::uint64_t peak = 0;
    for (const RankMemory& m : done.memory)
      peak = std::max(peak, m.peak());
    bool fitted = false;
    for (std::uint64_t memory : {peak / 2, peak - 1, peak, peak + 1, 2 * peak, 16 * peak}) {
      Plan changed = plan;
      for (NodeClass& c : changed.cluster.classes)
        c.device.memory = memory;
      const bool fits = complete(changed);
      EXPECT_TRUE(fits || !fitted) << memory << " bytes, plan " << seed;
      fitted = fitted || fits;
    }
    EXPECT_TRUE(fitted) << "plan " << seed;
  });
}

// Whatever the field and however close to the limit: of each class of a mixed cluster, whose
// memory is what the rank with the least left needs, and around it.
TEST(Metamorphic, APartWithAWorseDevice_NeverTurnsAMisfitIntoAFit) {
  using Field = std::uint64_t Device::*;
  constexpr std::uint64_t GiB = std::uint64_t{1} << 30;
  std::uint64_t compared = 0, lower = 0, misfits = 0;
  const auto leastOf = [](const Plan& plan) { return tightest(cost::memoryOf(plan))->headroom(); };
  forEachPlan([&](std::uint64_t seed, const Plan&, const Plan& done) {
    if (done.cluster.classes.size() < 2)
      return;
    const std::uint64_t peak = tightest(done.memory)->peak();
    for (const bool blocks : {false, true})
      for (const std::uint64_t memory : {peak - 1, peak, peak + 5 * GiB})
        for (std::size_t c = 0; c < done.cluster.classes.size(); ++c) {
          if (blocks && seed % 3 != 0) // they are replayed, which takes its time
            continue;
          Plan before = done;
          before.framework.name = blocks ? "nanotron" : "";
          for (NodeClass& nodes : before.cluster.classes)
            nodes.device.memory = memory;
          const std::int64_t least = leastOf(before);
          for (const Field field :
               {&Device::memory, &Device::reserved, &Device::context, &Device::workspace})
            for (const std::uint64_t more : {std::uint64_t{1}, GiB, 40 * GiB}) {
              Plan worse = before;
              std::uint64_t& value = worse.cluster.classes[c].device.*field;
              value = field == &Device::memory ? value - std::min(value, more) : value + more;
              const std::int64_t now = leastOf(worse);
              EXPECT_TRUE(now < 0 || least >= 0) << blocks << ", plan " << seed;
              if (!blocks) {
                EXPECT_LE(now, least) << "plan " << seed;
              }
              ++compared, lower += now < least, misfits += now < 0;
            }
        }
  });
  EXPECT_GE(compared, 5 * test::plansToMake());
  EXPECT_GE(lower * 4, compared);
  EXPECT_GE(misfits * 4, compared);
}

TEST(Metamorphic, MoreMicroBatchesAndContext_NeverLowerAPeak) {
  constexpr Change more[] = {
      {"twice the micro-batches", // where what ranks hold grows with them or has a limit
       [](Plan& p) {
         if (p.layout.schedule == ScheduleKind::OneForwardOneBackward ||
             p.layout.schedule == ScheduleKind::GPipe ||
             p.layout.schedule == ScheduleKind::Interleaved)
           p.layout.batch *= 2;
       }},
      {"twice the context", [](Plan& p) { p.model.context *= 2; }},
  };
  std::uint64_t compared = 0;
  forEachPlan([&](std::uint64_t seed, const Plan& plan, const Plan& done) {
    // Lists of the user are of so many micro-batches, an order by time is found anew, and without a
    // flush the more micro-batches a step has the fewer versions of weights are kept.
    const cost::ScheduleInfo& info = cost::scheduleInfo(plan.layout.schedule);
    if (plan.layout.schedule == ScheduleKind::Listed || info.byTime || !info.flushed())
      return;
    // A last group of fewer micro-batches begins the next chunk sooner than a whole one in its
    // place: a rank then holds as many passes, of other chunks, which may be those that keep more.
    const bool wholeGroups =
        plan.layout.group == 0 || done.mesh.microBatches % plan.layout.group == 0;
    Plan held = plan;
    cost::listSplit(held.layout, done);
    for (const Change& change : llvm::makeArrayRef(more).drop_front(wholeGroups ? 0 : 1)) {
      Plan changed = held;
      change.apply(changed);
      if (!complete(changed))
        continue;
      ++compared;
      ASSERT_EQ(changed.memory.size(), done.memory.size());
      for (std::size_t i = 0; i < done.memory.size(); ++i)
        EXPECT_GE(changed.memory[i].peak(), done.memory[i].peak())
            << change.name << ", rank " << i << " of plan " << seed << ", "
            << ir::name(plan.layout.schedule) << " of " << done.mesh.microBatches;
    }
  });
  EXPECT_GE(compared, test::plansToMake());
}

namespace {
/// Of the rank that a device of so many bytes leaves least, there and with room for all.
struct LeastLeft {
  std::int64_t headroom = 0, roomy = 0;
  bool blocks = false;
};
LeastLeft leastLeft(Plan& plan, std::uint64_t bytes) {
  for (NodeClass& c : plan.cluster.classes)
    c.device.memory = bytes;
  const std::vector<RankMemory> ranks = cost::memoryOf(plan);
  const RankMemory& worst = *tightest(ranks);
  const Device& device = cost::holderOf(plan, worst);
  const std::uint64_t outside = cost::outsideBytes(plan, device, worst.rank);
  const auto segments = cost::segmentsOf(plan, worst);
  const auto room = static_cast<std::int64_t>(bytes - outside - (segments ? segments->held : 0));
  return {worst.headroom(), std::min(room, worst.headroom()),
          worst.reserved > std::max(device.reserved, outside)};
}
} // namespace

/// Of a framework whose allocator's segments are fixed, on devices that hold what tensors of a
/// context in the middle take. Blocks of a longer context may fit better into what others leave:
/// a peak falls by what that gains an allocator without a limit, and by no more. Where scattered
/// blocks keep a context from fitting, those of a longer one may fill the device, and leave
/// nothing.
TEST(Metamorphic, MoreContext_LowersAPeakByNoMoreThanWithoutALimit) {
  std::uint64_t compared = 0, withBlocks = 0, full = 0, misfits = 0;
  forEachPlan([&](std::uint64_t seed, const Plan& plan, const Plan& done) {
    if (seed % 3 != 0 || plan.layout.schedule == ScheduleKind::Listed ||
        cost::scheduleInfo(plan.layout.schedule).byTime)
      return;
    Plan held = plan;
    cost::listSplit(held.layout, done);
    std::vector<Plan> longer;
    for (const std::uint64_t times : {2, 3, 4, 5, 6})
      if (Plan changed = held; (changed.model.context *= times) != 0 && complete(changed))
        longer.push_back(std::move(changed));
    if (longer.empty())
      return;
    const std::uint64_t memory = tightest(longer[longer.size() / 2].memory)->peak();
    for (const char* framework : {"nanotron", "megatron"}) {
      std::vector<LeastLeft> before;
      for (Plan& changed : longer) {
        changed.framework.name = framework;
        const LeastLeft now = leastLeft(changed, memory);
        for (const LeastLeft& shorter : before)
          EXPECT_LE(now.headroom,
                    std::max<std::int64_t>(
                        0, shorter.headroom + std::max<std::int64_t>(0, now.roomy - shorter.roomy)))
              << framework << ", context " << changed.model.context << ", plan " << seed;
        before.push_back(now);
        ++compared, withBlocks += now.blocks;
        full += now.headroom == 0, misfits += now.headroom < 0;
      }
    }
  });
  EXPECT_GE(compared, test::plansToMake() / 2);
  EXPECT_GE(withBlocks, test::plansToMake() / 4);
  EXPECT_GE(full, test::plansToMake() / 20);
  EXPECT_GE(misfits, test::plansToMake() / 4);
}

/// A stage of ZeRO more never holds more for good. A peak it may raise by what it gathers and not
/// by more: whole parameters beside the parts of them, a layer's gradients before they leave,
/// copies that an update goes through. Gradients summed whole are those that are not sharded, in a
/// type of their own.
TEST(Metamorphic, LessSharding_HoldsMoreButForWhatIsGathered) {
  std::uint64_t compared[4] = {};
  forEachPlan([&](std::uint64_t seed, const Plan& plan, const Plan& done) {
    const unsigned stage = plan.layout.shard.stage();
    if (stage == 0 || plan.layout.buffers.hasWholeGradients ||
        plan.layout.schedule == ScheduleKind::Listed ||
        cost::scheduleInfo(plan.layout.schedule).byTime)
      return;
    Plan changed = plan;
    cost::listSplit(changed.layout, done);
    Shard& shard = changed.layout.shard;
    (stage == 3   ? shard.parameters
     : stage == 2 ? shard.gradients
                  : shard.optimizer) = ShardAxis::None;
    if (!complete(changed))
      return;
    ++compared[stage];
    for (std::size_t i = 0; i < done.memory.size(); ++i) {
      const RankMemory &more = changed.memory[i], &less = done.memory[i];
      EXPECT_GE(more.standing() + 8 * plan.layout.chunks, less.standing())
          << "rank " << i << " of plan " << seed << ", stage " << stage;
      const cost::GatheredBytes units = cost::gatheredOf(done, cost::heldChunks(done, less.rank));
      const std::uint64_t gathered =
          ir::whole(units.stays + units.written + std::max(units.end, units.passing()));
      EXPECT_GE(more.standing() +
                    std::max(more.activations + more.transient + gathered,
                             std::max(less.update, more.update)) +
                    8 * plan.layout.chunks,
                less.peak())
          << "rank " << i << " of plan " << seed << ", stage " << stage;
    }
  });
  for (const unsigned stage : {1, 2, 3})
    EXPECT_GE(compared[stage], test::plansToMake() / 20) << stage;
}

TEST(Metamorphic, NamesAndOrder_ChangeNoFigure) {
  forEachPlan([](std::uint64_t seed, const Plan& plan, const Plan& done) {
    Plan other = plan;
    other.name = other.layout.name = "renamed", other.file = "elsewhere.dpl";
    other.model.name = "network", other.cluster.name = "pod";
    for (NodeClass& c : other.cluster.classes)
      c.device.name = "accelerator";
    // Classes of layers are found by index; which comes first says nothing.
    std::reverse(other.model.classes.begin(), other.model.classes.end());
    for (LayerRun& run : other.model.runs)
      run.layerClass = other.model.classes.size() - 1 - run.layerClass;
    // A run of layers in two halves.
    if (const LayerRun first = other.model.runs.front(); first.count > 1) {
      other.model.runs.front().count = first.count - 1;
      other.model.runs.insert(other.model.runs.begin(), {first.layerClass, 1});
    }
    ASSERT_TRUE(complete(other)) << "plan " << seed;
    // Sums over layers run in another order, so a pass may round to the next picosecond.
    EXPECT_NEAR(figure(other, "step_time"), figure(done, "step_time"),
                1e-9 * figure(done, "step_time") + 1e-10)
        << "plan " << seed;
    ASSERT_EQ(other.memory.size(), done.memory.size());
    for (std::size_t i = 0; i < done.memory.size(); ++i)
      EXPECT_EQ(other.memory[i].peak(), done.memory[i].peak()) << "plan " << seed;
  });
}

TEST(Metamorphic, AStep_IsNoShorterThanItsComputationOrTheCallsOfAStream) {
  const auto streamOf = [](CollectivePurpose purpose) {
    switch (purpose) {
    case CollectivePurpose::TensorActivation:
      return Stream::Tensor;
    case CollectivePurpose::ContextKeys:
      return Stream::Context;
    case CollectivePurpose::ExpertTokens:
      return Stream::Expert;
    case CollectivePurpose::PipelineActivation:
      return Stream::Compute; // as many links as neighbours
    case CollectivePurpose::GradientReduce:
    case CollectivePurpose::ParameterGather:
    case CollectivePurpose::EmbeddingGradient:
      return Stream::Data;
    }
    return Stream::Compute;
  };
  forEachPlan([&](std::uint64_t seed, const Plan&, const Plan& done) {
    const double schedule = figure(done, "time.schedule") * (1 + 1e-9),
                 step = figure(done, "step_time") * (1 + 1e-9);
    EXPECT_LE(figure(done, "time.compute") + figure(done, "time.recompute"), schedule) << seed;
    // Parts of a step add up to the schedule, and to what jitter makes of it.
    const double jitter = figures::Figures(done).value("time.jitter").value_or(0);
    EXPECT_NEAR(step, schedule + jitter, 1e-8 * step + 1e-11) << seed; // each part is rounded
    std::map<std::pair<std::uint64_t, Stream>, double> calls;          // by rank
    for (const Collective& c : done.collectives)
      if (const Stream stream = streamOf(c.purpose); stream != Stream::Compute)
        calls[{c.rank, stream}] += toSeconds(c.time) * static_cast<double>(c.count);
    for (const auto& [of, seconds] : calls)
      EXPECT_LE(seconds, step) << "rank " << of.first << " of plan " << seed;
  });
}
