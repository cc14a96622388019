//===- AlgorithmsTest.cpp - Every row of Algorithms.def, run message by message ---------------===//
//
// Nothing here names an algorithm: a new row is tested by being in the table.
#include "cost/collectives/CollectiveCost.h"
#include "ir/Names.h"
#include "tests/RunCollective.h"

using namespace dpl::cost;
using namespace dpl::ir;
using namespace dpl::test;

namespace {
constexpr std::uint64_t mostRanks = 32;

/// Groups of one to three levels, with widths of 1, powers of two and others, some on a torus, and
/// some with rings in another order.
std::vector<Lying> shapes() {
  std::vector<Lying> all;
  for (std::uint64_t n = 2; n <= 17; ++n)
    all.push_back({{n}, {}, {}});
  for (std::uint64_t a : {1, 2, 3, 4, 8})
    for (std::uint64_t b : {1, 2, 3, 5, 8}) {
      all.push_back({{a, a * b}, {}, {}});
      for (std::uint64_t c : {1, 2, 3, 4})
        all.push_back({{a, a * b, a * b * c}, {}, {}});
    }
  llvm::erase_if(all,
                 [](const Lying& l) { return l.inside.back() < 2 || l.inside.back() > mostRanks; });
  all.push_back({{8}, {{4, 1, 4}, {2, 1, 2}}, {}});
  all.push_back({{4}, {{2, 2, 4}, {2, 1, 8}}, {}});
  all.push_back({{27}, {{3, 1, 3}, {3, 1, 3}, {3, 1, 3}}, {}});
  all.push_back({{12, 24}, {{3, 1, 3}, {4, 1, 4}}, {}});
  all.push_back({{16, 32}, {{1, 1, 4}, {16, 1, 16}}, {}});
  all.push_back({{4, 8}, {}, {0, 4, 1, 5, 2, 6, 3, 7}});
  all.push_back({{2, 8, 24}, {}, {0, 2, 3, 1}});
  all.push_back({{2, 4, 24}, {}, {7, 0, 2, 4, 1, 5, 3, 6}});
  return all;
}

/// Bytes of the busiest rank, as a share of the buffer, counted from the messages: in closed forms
/// step by step, in NCCL's over all steps at once, which follow one another piece by piece.
double busiestSender(const AlgorithmPhase& phase, bool stepByStep) {
  double sum = 0;
  const double piece = phase.share / static_cast<double>(phase.pattern->slices(phase.ranks));
  std::vector<double> all(phase.ranks, 0);
  for (std::uint64_t step = 0; step < phase.steps(); ++step) {
    std::vector<double> sent(phase.ranks, 0);
    std::set<std::pair<std::uint64_t, std::uint64_t>> copied;
    phase.pattern->messages(phase.ranks, step, [&](const AlgorithmMessage& m) {
      if (m.copiedInSwitch && !copied.insert({m.from, m.firstSlice}).second)
        return;
      sent[m.from] += static_cast<double>(m.slices) * piece;
      all[m.from] += static_cast<double>(m.slices) * piece;
    });
    sum += *std::max_element(sent.begin(), sent.end());
  }
  return stepByStep ? sum : *std::max_element(all.begin(), all.end());
}

/// No algorithm sends less: n−1 parts of n for each of reducing and gathering, a whole message, all
/// of it from or to one rank;
/// with sums in the switch the buffer once.
double leastSent(CollectiveKind kind, std::uint64_t ranks, bool switched) {
  if (kind == CollectiveKind::SendReceive || kind == CollectiveKind::Broadcast ||
      kind == CollectiveKind::Reduce || switched)
    return 1;
  const double n = static_cast<double>(ranks);
  return (kind == CollectiveKind::AllReduce ? 2 : 1) * (n - 1) / n;
}

/// A cluster of equal links whose units hold what the group has in them.
Cluster clusterOf(const Lying& lying, CollectiveLibrary library) {
  Cluster cluster;
  for (std::uint64_t n : lying.inside) {
    LinkLevel level;
    level.level = cluster.levels.empty() ? Level::Node : Level::Leaf;
    level.devices = n, level.bandwidth = 400'000'000'000, level.latency = 5'000'000;
    level.library = library, level.inSwitch = 0.7, level.pat = true;
    cluster.levels.push_back(level);
  }
  return cluster;
}

struct Case {
  Algorithm algorithm;
  CollectiveKind kind;
  Lying lying;
  GroupShape shape() const { return lying.shape(); }
  const AlgorithmInfo& row() const { return *algorithms()[static_cast<std::size_t>(algorithm)]; }
  /// One that has the row.
  CollectiveLibrary library() const {
    return row().closedForm ? CollectiveLibrary::ClosedForm : CollectiveLibrary::Nccl;
  }
};

/// Every kind that a row does, on every shape for which it gives phases. Two ranks for a message.
std::vector<Case> cases() {
  std::vector<Case> all;
  for (std::size_t i = 0; i < algorithms().size(); ++i)
    for (CollectiveKind kind : algorithms()[i]->kinds)
      for (const Lying& lying : shapes())
        if ((kind != CollectiveKind::SendReceive || lying.inside.back() == 2) &&
            !phasesOf(kind, static_cast<Algorithm>(i), lying.shape()).empty())
          all.push_back({static_cast<Algorithm>(i), kind, lying});
  return all;
}

std::string nameOf(const Case& c) {
  std::string text = std::string(name(c.algorithm)) + " " + name(c.kind);
  for (std::uint64_t n : c.lying.inside)
    text += " " + std::to_string(n);
  for (const TorusRanks& d : c.lying.torus)
    text += " torus " + std::to_string(d.ranks);
  for (std::uint64_t place : c.lying.order)
    text += (place == c.lying.order.front() ? " in order " : ",") + std::to_string(place);
  return text;
}
} // namespace

TEST(AlgorithmsTest, EveryRow_DoesWhatTheCollectivePromises) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(nameOf(c));
    expectPromise(c.kind, c.row(), c.shape());
  }
}

TEST(AlgorithmsTest, BytesOfEveryPhase_AreThoseOfItsMessages) {
  for (const Case& c : cases()) {
    double sent = 0;
    bool switched = false;
    for (const AlgorithmPhase& phase : phasesOf(c.kind, c.algorithm, c.shape())) {
      EXPECT_NEAR(phase.sent(), busiestSender(phase, c.row().closedForm), 1e-12) << nameOf(c);
      sent += phase.sent();
      switched |= phase.pattern->inSwitch;
    }
    EXPECT_GE(sent, leastSent(c.kind, c.lying.inside.back(), switched) - 1e-12) << nameOf(c);
  }
}

TEST(AlgorithmsTest, BytesOfEveryLevel_AreThoseOfTheMessagesThatCrossIt) {
  for (const Case& c : cases()) {
    const CollectiveCost cost =
        costOf(c.kind, c.algorithm, 1, c.shape(), clusterOf(c.lying, c.library()).levels);
    std::vector<double> flat(c.lying.inside.size(), 0);
    for (const AlgorithmPhase& phase : phasesOf(c.kind, c.algorithm, c.shape()))
      for (std::uint64_t step = 0; step < phase.steps(); ++step)
        phase.pattern->messages(phase.ranks, step, [&](const AlgorithmMessage& m) {
          const std::size_t level = levelBetween(c.shape(), phase.place(m.from), phase.place(m.to));
          if (phase.flat) // the mean of its ranks is what counts
            flat[level] += static_cast<double>(m.slices) * phase.share /
                           static_cast<double>(phase.pattern->slices(phase.ranks) * phase.ranks);
          else if (c.row().closedForm)
            EXPECT_EQ(level, phase.level) << nameOf(c);
          else // a tree over several levels counts as one of the outermost
            EXPECT_LE(level, phase.level) << nameOf(c);
        });
    for (const AlgorithmPhase& phase : phasesOf(c.kind, c.algorithm, c.shape()))
      if (!phase.flat)
        flat[phase.level] += phase.sent();
    for (std::size_t l = 0; l < flat.size(); ++l)
      EXPECT_NEAR(cost.bytesPerLevel[l], flat[l], 1e-9) << nameOf(c) << ", level " << l;
  }
}

TEST(AlgorithmsTest, NoTime_IsBelowTheBandwidthAndLatencyBound) {
  for (const Case& c : cases())
    for (const CollectiveLibrary library :
         {CollectiveLibrary::ClosedForm, CollectiveLibrary::Nccl}) {
      if (!c.row().isIn(library))
        continue;
      const Cluster cluster = clusterOf(c.lying, library);
      const CollectiveCost cost = costOf(c.kind, c.algorithm, 1e8, c.shape(), cluster.levels);
      EXPECT_GE(cost.latency * (1 + 1e-12), 5e-6) << nameOf(c);
      for (std::size_t l = 0; l < cluster.levels.size(); ++l)
        EXPECT_GE(cost.seconds * (1 + 1e-12), cost.secondsPerLevel[l]) << nameOf(c);
    }
}

TEST(AlgorithmsTest, Chosen_IsTheFastestOfItsLibrary_AndEveryKindAndRowIsChosenSomewhere) {
  std::set<CollectiveKind> done;
  std::set<Algorithm> taken;
  for (const CollectiveLibrary library : {CollectiveLibrary::ClosedForm, CollectiveLibrary::Nccl})
    for (CollectiveKind kind :
         {CollectiveKind::AllReduce, CollectiveKind::ReduceScatter, CollectiveKind::AllGather,
          CollectiveKind::AllToAll, CollectiveKind::SendReceive, CollectiveKind::Broadcast,
          CollectiveKind::Reduce})
      for (const Lying& lying : shapes())
        for (double bytes : {1e3, 1e6, 1e9}) {
          Cluster cluster = clusterOf(lying, library);
          cluster.levels.back().bandwidth /= 8;
          const CollectiveCost best = collectiveCost(kind, bytes, lying.shape(), cluster.levels);
          done.insert(kind), taken.insert(best.algorithm);
          EXPECT_LT(best.seconds, 1e6);
          for (std::size_t i = 0; i < algorithms().size(); ++i) {
            if (!algorithms()[i]->isIn(library) || algorithms()[i]->onlyStated)
              continue;
            EXPECT_LE(best.seconds,
                      costOf(kind, static_cast<Algorithm>(i), bytes, lying.shape(), cluster.levels)
                          .seconds);
          }
        }
  EXPECT_EQ(done.size(), namesOf(CollectiveKind{}).size());
  for (std::size_t i = 0; i < algorithms().size(); ++i)
    EXPECT_NE(taken.contains(static_cast<Algorithm>(i)), algorithms()[i]->onlyStated);
}

TEST(AlgorithmsTest, RowThatRefusesAGroup_SaysWhatItNeeds) {
  for (std::size_t i = 0; i < algorithms().size(); ++i) {
    bool refuses = algorithms()[i]->onlyStated && algorithms()[i]->needs;
    for (const CollectiveKind kind : algorithms()[i]->kinds)
      for (const Lying& lying : shapes())
        refuses |= phasesOf(kind, static_cast<Algorithm>(i), lying.shape()).empty();
    EXPECT_EQ(refuses, algorithms()[i]->needs != nullptr) << name(static_cast<Algorithm>(i));
  }
}

TEST(AlgorithmsTest, Stated_IsTakenForWhatItDoes_AndNothingElseChanges) {
  for (std::size_t i = 0; i < algorithms().size(); ++i)
    for (CollectiveKind kind :
         {CollectiveKind::AllReduce, CollectiveKind::ReduceScatter, CollectiveKind::AllGather,
          CollectiveKind::AllToAll, CollectiveKind::Broadcast, CollectiveKind::Reduce})
      for (const Lying& lying : shapes())
        for (double bytes : {1e3, 1e9}) {
          const auto algorithm = static_cast<Algorithm>(i);
          Cluster cluster = clusterOf(lying, CollectiveLibrary::ClosedForm);
          // The slower the links outward, the more rows are the fastest of some group.
          for (std::size_t level = 1; level < cluster.levels.size(); ++level)
            cluster.levels[level].bandwidth /= std::uint64_t{1} << (3 * level);
          const auto chosen = [&] {
            return collectiveCost(kind, bytes, lying.shape(), cluster.levels);
          };
          const double fastest = chosen().seconds;
          for (LinkLevel& level : cluster.levels)
            level.algorithm = static_cast<AlgorithmChoice>(i + 1);
          if (!phasesOf(kind, algorithm, lying.shape()).empty()) {
            EXPECT_EQ(chosen().algorithm, algorithm);
            EXPECT_EQ(chosen().seconds,
                      costOf(kind, algorithm, bytes, lying.shape(), cluster.levels).seconds);
          } else {
            EXPECT_EQ(chosen().seconds, fastest);
          }
        }
}
