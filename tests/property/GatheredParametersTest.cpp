//===- GatheredParametersTest.cpp - What is gathered, against passes walked unit by unit ------===//
//
// Of random plans with sharded gradients or parameters a backward pass of each chunk is walked from
// its last unit to its first, as FSDP does: a unit's parameters are gathered, those of the next are
// asked for, its gradients are made, the last unit's have left, its own are copied and leave while
// the next runs. Nothing of cost/ is called.
#include "figures/Figures.h"
#include "passes/Pass.h"
#include "tests/property/RandomPlan.h"
#include "tests/property/WeightAccount.h"
#include <gtest/gtest.h>
#include <map>

using namespace dpl;
using namespace dpl::ir;
using test::Count;
using test::Weights;

namespace {
/// Elements of a unit that more than one device has a part of.
double shared(const Plan& plan, const Weights& w) {
  const Count all =
      plan.placement.directions() * plan.mesh.size(Axis::Data) * plan.mesh.size(Axis::Context);
  const Count ofExperts = plan.mesh.expertAxes.empty()
                              ? all
                              : plan.placement.directions() * plan.mesh.size(Axis::ExpertData);
  return static_cast<double>(all > 1 ? w.dense : 0) +
         static_cast<double>(ofExperts > 1 ? w.experts : 0);
}

double bytesOf(DataType type) { return bitsOf(type) / 8.0; }
/// Of what products take: values of 8 bits are gathered in 16.
double productBytes(const Plan& plan) {
  return std::max(2.0, bytesOf(plan.layout.precision.compute));
}

class Walk {
public:
  Walk(const Plan& plan, const Chunk& chunk)
      : plan(plan), chunk(chunk), account(plan), parameter(productBytes(plan)),
        gradient(bytesOf(plan.layout.precision.reduce)),
        sharded(plan.layout.shard.parameters == ShardAxis::Data),
        root(sharded && plan.layout.buffers.keepEndsGathered) {
    if (chunk.embedding && !root)
      units.push_back(shared(plan, account.embedding()));
    for (Count i = 0; i < chunk.layers; ++i)
      units.push_back(shared(plan, account.layer(chunk.firstLayer + i)));
    for (Count i = 0; i < chunk.predictionLayers; ++i)
      units.push_back(shared(plan, account.prediction()));
    if (chunk.head && !root)
      units.push_back(shared(plan, account.head(true)));
  }

  /// Whole from the first pass to the last.
  double stays() const {
    if (!sharded)
      return 0;
    Weights ends;
    if (chunk.embedding)
      ends += account.embedding();
    if (chunk.head)
      ends += account.head(!meets());
    if (plan.layout.shard.reshard)
      return root ? shared(plan, ends) * parameter : 0;
    Weights all = ends;
    for (Count i = 0; i < chunk.layers; ++i)
      all += account.layer(chunk.firstLayer + i);
    for (Count i = 0; i < chunk.predictionLayers; ++i)
      all += account.prediction();
    return shared(plan, all) * parameter;
  }
  /// What the gathers of the root and of a layer behind it write to.
  double written() const {
    Weights ends;
    if (chunk.embedding)
      ends += account.embedding();
    if (chunk.head)
      ends += account.head(!meets());
    double largest = 0;
    for (Count i = 0; i < chunk.layers; ++i)
      largest = std::max(largest, shared(plan, account.layer(chunk.firstLayer + i)));
    return root ? (shared(plan, ends) + largest) * parameter : 0;
  }

  /// The most beside that while all of a micro-batch's activations are there: in a chunk with an
  /// embedding and several layers before the first of them runs.
  double most() {
    const bool gathers = sharded && plan.layout.shard.reshard;
    const double ofHead = root && chunk.head ? shared(plan, account.head(true)) * parameter : 0;
    double peak = ofHead; // while the first that runs backward is asked for
    if (gathers && root && plan.layout.overlap.parameters && !units.empty())
      peak += units.back() * parameter;
    for (std::size_t i = units.size(); i-- > 0;) {
      const bool onlyHead = i + 1 == units.size() && chunk.head && !root;
      if (chunk.embedding && !root && i < 2 && chunk.layers > 1 && !onlyHead)
        break;
      if (gathers)
        gathered[i] = units[i] * parameter;
      if (gathers && plan.layout.overlap.parameters && (i > 0 || units.size() == 1))
        gathered[i - 1] = units[i > 0 ? i - 1 : 0] * parameter;
      made[i] = units[i] * parameter;
      peak = std::max(peak, held() + ofHead);
      leaving.clear(); // the last have left
      leaving[i] = units[i] * gradient;
      peak = std::max(peak, held() + ofHead); // while they are copied
      made.clear(), gathered.erase(i);
      if (!plan.layout.overlap.gradients)
        leaving.clear();
    }
    return peak;
  }

private:
  /// Whether a rank with the head has the embedding too.
  bool meets() const {
    for (const Chunk& c : plan.chunks)
      if (c.rank == chunk.rank && c.embedding)
        return true;
    return false;
  }
  double held() const {
    double sum = 0;
    for (const auto& bytes : {gathered, made, leaving})
      for (const auto& [unit, size] : bytes)
        sum += size;
    return sum;
  }

  const Plan& plan;
  const Chunk& chunk;
  test::WeightAccount account;
  double parameter, gradient; ///< bytes of an element
  bool sharded, root;
  std::vector<double> units;
  /// Bytes by unit: parameters, gradients, those that are being scattered.
  std::map<std::size_t, double> gathered, made, leaving;
};
} // namespace

TEST(Gathered, OfChunks_IsTheMostOfAWalkThroughTheirUnits) {
  Count plans = 0, ends = 0, ofExperts = 0;
  for (Count seed = 1; seed <= test::plansToMake(); ++seed) {
    Plan plan = test::randomPlan(seed);
    plan.layout.fineTuning.clear(); // the account is of trained weights
    DiagnosticEngine unheard;
    if (plan.layout.shard.stage() < 2 || runPipeline(plan, unheard, {}).failed())
      continue;
    ++plans, ends += plan.layout.buffers.keepEndsGathered,
        ofExperts += !plan.mesh.expertAxes.empty();
    const figures::Figures figures(plan);
    for (const RankMemory& memory : plan.memory) {
      double stays = 0, written = 0, most = 0;
      for (const Chunk& chunk : plan.chunks)
        if (chunk.rank == memory.rank) {
          Walk walk(plan, chunk);
          stays += walk.stays(), written = std::max(written, walk.written());
          most = std::max(most, walk.most());
        }
      const std::string path = fmt::format("memory.rank[{}].unsharded_units", memory.rank);
      EXPECT_NEAR(figures.value(path).value_or(0), stays + written + most,
                  1e-9 * (stays + most) + 8)
          << "plan " << seed << " rank " << memory.rank;
    }
    if (testing::Test::HasFailure())
      break;
  }
  EXPECT_GE(plans, test::plansToMake() / 4);
  EXPECT_GE(ends, plans / 8);
  EXPECT_GE(ofExperts, plans / 10);
}

TEST(Gathered, OfUpdatedParameters_AreFlatCopiesInStages1And2) {
  Count plans = 0;
  for (Count seed = 1; seed <= test::plansToMake(); ++seed) {
    Plan plan = test::randomPlan(seed);
    plan.layout.fineTuning.clear(); // the account is of trained weights
    plan.layout.buffers.flatUpdate = true, plan.layout.buffers.hasUpdateGradients = false;
    DiagnosticEngine unheard;
    if (runPipeline(plan, unheard, {}).failed())
      continue;
    const Shard& shard = plan.layout.shard;
    const bool parts = shard.optimizer == ShardAxis::Data && shard.parameters == ShardAxis::None;
    plans += parts;
    const test::WeightAccount account(plan);
    const Count directions = plan.placement.directions();
    for (const RankMemory& memory : plan.memory) {
      const Weights w = account.of(memory.rank);
      const auto copies = [&](Count elements, Count ways) {
        const double all =
            static_cast<double>(elements) * bytesOf(plan.layout.precision.parameters);
        return parts && ways > 1 ? all / static_cast<double>(ways) + all + all : 0;
      };
      const Count ways = directions * plan.mesh.size(Axis::Data) * plan.mesh.size(Axis::Context);
      const double bytes = copies(w.dense, ways) +
                           copies(w.experts, plan.mesh.expertAxes.empty()
                                                 ? ways
                                                 : directions * plan.mesh.size(Axis::ExpertData));
      EXPECT_NEAR(static_cast<double>(memory.update), bytes, 1e-9 * bytes + 8)
          << "plan " << seed << " rank " << memory.rank;
    }
    if (testing::Test::HasFailure())
      break;
  }
  EXPECT_GE(plans, test::plansToMake() / 4);
}
