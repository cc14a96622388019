//===- MetamorphicMemoryTest.cpp - Memory of two runs of the passes, compared -----------------===//
//
// Of random legal plans: more memory never turns a fit into a misfit, more to keep never lowers a
// peak, less sharding never lowers what a rank holds. DPL_PROPERTY_PLANS sets how many plans are
// made (300).
#include "cost/memory/OutsideTensors.h"
#include "cost/memory/RankMemory.h"
#include "cost/memory/SegmentReplay.h"
#include "cost/partition/MakeChunks.h"
#include "ir/Arithmetic.h"
#include "ir/Names.h"
#include "tests/property/ChangedPlans.h"

using namespace dpl;
using namespace dpl::ir;
using test::Change;
using test::complete;
using test::forEachPlan;

TEST(MetamorphicMemory, MoreMemory_NeverTurnsAFitIntoAMisfit_Slow) {
  forEachPlan([](std::uint64_t seed, const Plan& plan, const Plan& done) {
    std::uint64_t peak = 0;
    for (const RankMemory& m : done.memory)
      peak = std::max(peak, m.peak());
    bool fitted = false;
    for (std::uint64_t memory : {peak / 2, peak - 1, peak, peak + 1, 2 * peak, 16 * peak}) {
      Plan changed = plan;
      for (NodeType& c : changed.cluster.nodeTypes)
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
TEST(MetamorphicMemory, APartWithAWorseDevice_NeverTurnsAMisfitIntoAFit) {
  using Field = std::uint64_t Device::*;
  constexpr std::uint64_t GiB = std::uint64_t{1} << 30;
  std::uint64_t compared = 0, lower = 0, misfits = 0;
  const auto leastOf = [](const Plan& plan) { return tightest(cost::memoryOf(plan))->headroom(); };
  forEachPlan([&](std::uint64_t seed, const Plan&, const Plan& done) {
    if (done.cluster.nodeTypes.size() < 2)
      return;
    const std::uint64_t peak = tightest(done.memory)->peak();
    for (const bool blocks : {false, true})
      for (const std::uint64_t memory : {peak - 1, peak, peak + 5 * GiB})
        for (std::size_t c = 0; c < done.cluster.nodeTypes.size(); ++c) {
          if (blocks && seed % 3 != 0) // they are replayed, which takes its time
            continue;
          Plan before = done;
          before.framework.name = blocks ? "nanotron" : "";
          for (NodeType& nodes : before.cluster.nodeTypes)
            nodes.device.memory = memory;
          const std::int64_t least = leastOf(before);
          for (const Field field :
               {&Device::memory, &Device::reserved, &Device::context, &Device::workspace})
            for (const std::uint64_t more : {std::uint64_t{1}, GiB, 40 * GiB}) {
              Plan worse = before;
              std::uint64_t& value = worse.cluster.nodeTypes[c].device.*field;
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

TEST(MetamorphicMemory, MoreMicroBatchesAndContext_NeverLowerAPeak) {
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
    cost::writeSplit(held.layout, done);
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
  for (NodeType& c : plan.cluster.nodeTypes)
    c.device.memory = bytes;
  const std::vector<RankMemory> ranks = cost::memoryOf(plan);
  const RankMemory& worst = *tightest(ranks);
  const Device& device = cost::deviceOf(plan, worst);
  const std::uint64_t outside = cost::outsideBytes(plan, device, worst.rank);
  const auto segments = cost::segmentsOf(plan, worst);
  const auto room =
      static_cast<std::int64_t>(bytes - outside - (segments ? segments->reserved : 0));
  return {worst.headroom(), std::min(room, worst.headroom()),
          worst.reserved > std::max(device.reserved, outside)};
}
} // namespace

/// Of a framework whose allocator's segments are fixed, on devices that hold what tensors of a
/// context in the middle take. Blocks of a longer context may fit better into what others leave:
/// a peak falls by what that gains an allocator without a limit, and by no more. Where scattered
/// blocks keep a context from fitting, those of a longer one may fill the device, and leave
/// nothing.
TEST(MetamorphicMemory, MoreContext_LowersAPeakByNoMoreThanWithoutALimit) {
  std::uint64_t compared = 0, withBlocks = 0, full = 0, misfits = 0;
  forEachPlan([&](std::uint64_t seed, const Plan& plan, const Plan& done) {
    if (seed % 3 != 0 || plan.layout.schedule == ScheduleKind::Listed ||
        cost::scheduleInfo(plan.layout.schedule).byTime)
      return;
    Plan held = plan;
    cost::writeSplit(held.layout, done);
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
TEST(MetamorphicMemory, LessSharding_HoldsMoreButForWhatIsGathered) {
  std::uint64_t compared[4] = {};
  forEachPlan([&](std::uint64_t seed, const Plan& plan, const Plan& done) {
    const unsigned stage = plan.layout.shard.stage();
    if (stage == 0 || plan.layout.buffers.hasWholeGradients ||
        plan.layout.schedule == ScheduleKind::Listed ||
        cost::scheduleInfo(plan.layout.schedule).byTime)
      return;
    Plan changed = plan;
    cost::writeSplit(changed.layout, done);
    Shard& shard = changed.layout.shard;
    (stage == 3   ? shard.parameters
     : stage == 2 ? shard.gradients
                  : shard.optimizer) = ShardAxis::None;
    if (!complete(changed))
      return;
    ++compared[stage];
    for (std::size_t i = 0; i < done.memory.size(); ++i) {
      const RankMemory &more = changed.memory[i], &less = done.memory[i];
      EXPECT_GE(more.persistent() + 8 * plan.layout.chunks, less.persistent())
          << "rank " << i << " of plan " << seed << ", stage " << stage;
      const cost::GatheredBytes units = cost::gatheredOf(done, cost::rankChunks(done, less.rank));
      const std::uint64_t gathered =
          ir::whole(units.persistent + units.writtenInPlace + std::max(units.end, units.passing()));
      EXPECT_GE(more.persistent() +
                    std::max(more.activations + more.temporary + gathered,
                             std::max(less.update, more.update)) +
                    8 * plan.layout.chunks,
                less.peak())
          << "rank " << i << " of plan " << seed << ", stage " << stage;
    }
  });
  for (const unsigned stage : {1, 2, 3})
    EXPECT_GE(compared[stage], test::plansToMake() / 20) << stage;
}
