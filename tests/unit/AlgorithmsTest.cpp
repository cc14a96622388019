//===- AlgorithmsTest.cpp - Every row of Algorithms.def, run message by message ---------------===//
//
// Nothing here names an algorithm: a new row is tested by being in the table.
#include "cost/collectives/CollectiveCost.h"
#include "ir/Names.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <set>

using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// Ranks of a group by level, and along the dimensions of a torus.
struct Lying {
  std::vector<std::uint64_t> inside;
  std::vector<TorusRanks> torus;
  std::vector<std::uint64_t> order; ///< of rings
  GroupShape shape() const { return {inside, torus, order}; }
};
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

/// Who contributed to one atom of a buffer: a bit a rank, and whether one of them did twice.
struct Sum {
  std::uint64_t ranks = 0;
  bool twice = false;
  void add(const Sum& o) {
    twice = twice || o.twice || (ranks & o.ranks) != 0;
    ranks |= o.ranks;
  }
  unsigned size() const { return llvm::countPopulation(ranks); }
  bool operator==(const Sum&) const = default;
};
/// By rank, the atoms of its buffer: as many as every number of pieces that phases cut divides.
using Contributions = std::vector<std::vector<Sum>>;

/// Atoms that a rank holds most contributions of: its shard after a reduce-scatter, all at first.
std::set<std::size_t> heldBy(const Contributions& state, std::uint64_t rank) {
  unsigned most = 0;
  for (const Sum& atom : state[rank])
    most = std::max(most, atom.size());
  std::set<std::size_t> held;
  for (std::size_t i = 0; i < state[rank].size(); ++i)
    if (state[rank][i].size() == most)
      held.insert(i);
  return held;
}

/// The ranks of the group that peer in a phase, once for each set of peers; of a rooted pattern
/// those of first ranks.
std::vector<std::vector<std::uint64_t>> peersOf(const Phase& phase, std::uint64_t ranks) {
  std::vector<std::vector<std::uint64_t>> all;
  for (std::uint64_t base = 0; base < ranks; ++base)
    if (base % phase.period() < phase.sets()) {
      all.emplace_back();
      for (std::uint64_t i = 0; i < phase.ranks; ++i)
        all.back().push_back(base + phase.place(i));
    }
  return all;
}

/// An atom that a message brings.
struct Arrival {
  std::uint64_t to = 0;
  std::size_t atom = 0;
  Sum sum;
  bool adds = false;
};

/// Runs the messages of a phase. All messages of a step are read before any is written. The part
/// that enters is what its peers hold between them.
void runPhase(const Phase& phase, Contributions& state) {
  for (const std::vector<std::uint64_t>& peers : peersOf(phase, state.size())) {
    std::set<std::size_t> part;
    for (std::uint64_t rank : peers)
      part.merge(heldBy(state, rank));
    const std::vector<std::size_t> atoms(part.begin(), part.end());
    ASSERT_NEAR(static_cast<double>(atoms.size()),
                phase.share * static_cast<double>(state[0].size()), 1e-9);
    const std::size_t size = atoms.size() / phase.pattern->pieces(phase.ranks);
    for (std::uint64_t step = 0; step < phase.steps(); ++step) {
      std::vector<Arrival> arrivals;
      phase.pattern->messages(phase.ranks, step, [&](const Message& m) {
        if (m.from == m.to) // its own, by way of the switch
          return;
        for (std::size_t i = m.firstPiece * size; i < (m.firstPiece + m.pieces) * size; ++i)
          arrivals.push_back({peers[m.to], atoms[i], state[peers[m.from]][atoms[i]], m.adds});
      });
      for (const Arrival& arrival : arrivals) {
        Sum& received = state[arrival.to][arrival.atom];
        if (!arrival.adds)
          received = {};
        received.add(arrival.sum);
      }
    }
  }
}

void runPhases(const Phases& phases, Contributions& state) {
  for (const Phase& phase : phases)
    ASSERT_NO_FATAL_FAILURE(runPhase(phase, state));
}

std::size_t atomsFor(const Phases& phases) {
  std::size_t atoms = 1;
  for (const Phase& phase : phases)
    atoms = std::lcm(atoms,
                     static_cast<std::size_t>(std::llround(
                         static_cast<double>(phase.pattern->pieces(phase.ranks)) / phase.share)));
  return atoms;
}

/// Every rank holds its own contribution to every atom.
Contributions ownContributions(std::uint64_t ranks, std::size_t atoms) {
  Contributions state(ranks);
  for (std::uint64_t r = 0; r < ranks; ++r)
    state[r].assign(atoms, {std::uint64_t{1} << r});
  return state;
}

Sum everyRank(std::uint64_t ranks) { return {(std::uint64_t{1} << ranks) - 1}; }

/// Shards of the sum: complete where held, each atom on exactly one rank.
void expectShards(const Contributions& state) {
  std::multiset<std::size_t> held;
  for (std::uint64_t r = 0; r < state.size(); ++r)
    for (std::size_t i : heldBy(state, r)) {
      held.insert(i);
      ASSERT_EQ(state[r][i], everyRank(state.size()));
    }
  ASSERT_EQ(held.size(), state[0].size());
  ASSERT_EQ(std::set<std::size_t>(held.begin(), held.end()).size(), state[0].size());
}

void expectSums(const Contributions& state) {
  for (const auto& rank : state)
    for (const Sum& atom : rank)
      ASSERT_EQ(atom, everyRank(state.size()));
}

/// Each rank ends with what every rank had for it. In a phase a rank gives each peer what is for
/// ranks with that peer's place.
void expectExchange(const Phases& phases, std::uint64_t ranks) {
  using Piece = std::pair<std::uint64_t, std::uint64_t>; // from, for
  std::vector<std::set<Piece>> state(ranks);
  for (std::uint64_t r = 0; r < ranks; ++r)
    for (std::uint64_t to = 0; to < ranks; ++to)
      state[r].insert({r, to});
  for (const Phase& phase : phases)
    for (const std::vector<std::uint64_t>& peers : peersOf(phase, ranks)) {
      const std::vector<std::set<Piece>> before = state;
      std::set<std::pair<std::uint64_t, std::uint64_t>> pairs;
      for (std::uint64_t step = 0; step < phase.steps(); ++step)
        phase.pattern->messages(phase.ranks, step, [&](const Message& m) {
          EXPECT_EQ(m.firstPiece, m.to);
          EXPECT_TRUE(pairs.insert({m.from, m.to}).second);
          for (const Piece& piece : before[peers[m.from]])
            if (phase.flat ? piece.second == peers[m.to]
                           : piece.second / phase.stride % phase.ranks == m.to) {
              state[peers[m.from]].erase(piece);
              state[peers[m.to]].insert(piece);
            }
        });
      EXPECT_EQ(pairs.size(), phase.ranks * (phase.ranks - 1));
    }
  for (std::uint64_t r = 0; r < ranks; ++r) {
    ASSERT_EQ(state[r].size(), ranks);
    for (const Piece& piece : state[r])
      ASSERT_EQ(piece.second, r);
  }
}

/// What a collective promises, checked by running it. A gather starts from the shards that the
/// row's own reduce-scatter leaves, of the order that the row chose; without one rank r has shard
/// r.
void expectPromise(CollectiveKind kind, const AlgorithmInfo& row, const GroupShape& shape) {
  Phases phases, before;
  row.phases(kind, shape, phases);
  const std::uint64_t n = shape.ranks();
  if (kind == CollectiveKind::AllToAll) {
    expectExchange(phases, n);
    return;
  }
  if (kind == CollectiveKind::AllGather && row.does(CollectiveKind::ReduceScatter))
    row.phases(CollectiveKind::ReduceScatter, shape, before);
  Contributions state =
      ownContributions(n, std::lcm(n, std::lcm(atomsFor(before), atomsFor(phases))));
  ASSERT_NO_FATAL_FAILURE(runPhases(before, state));
  if (kind == CollectiveKind::AllGather && before.empty())
    for (std::uint64_t r = 0; r < n; ++r)
      for (std::size_t i = 0, atoms = state[r].size(); i < atoms; ++i)
        state[r][i] = i * n / atoms == r ? everyRank(n) : Sum{};
  ASSERT_NO_FATAL_FAILURE(runPhases(phases, state));
  if (kind == CollectiveKind::ReduceScatter)
    expectShards(state);
  else if (kind == CollectiveKind::SendReceive)
    ASSERT_EQ(state[1], ownContributions(n, state[0].size())[0]);
  else if (kind == CollectiveKind::Broadcast)
    for (const auto& rank : state)
      ASSERT_EQ(rank, ownContributions(n, rank.size())[0]);
  else if (kind == CollectiveKind::Reduce)
    for (const Sum& atom : state[0])
      ASSERT_EQ(atom, everyRank(n));
  else
    expectSums(state);
}

/// Bytes of the busiest rank, as a share of the buffer, counted from the messages: in closed forms
/// step by step, in NCCL's over all steps at once, which follow one another piece by piece.
double busiestSender(const Phase& phase, bool stepByStep) {
  double sum = 0;
  const double piece = phase.share / static_cast<double>(phase.pattern->pieces(phase.ranks));
  std::vector<double> all(phase.ranks, 0);
  for (std::uint64_t step = 0; step < phase.steps(); ++step) {
    std::vector<double> sent(phase.ranks, 0);
    std::set<std::pair<std::uint64_t, std::uint64_t>> copied;
    phase.pattern->messages(phase.ranks, step, [&](const Message& m) {
      if (m.copiedInSwitch && !copied.insert({m.from, m.firstPiece}).second)
        return;
      sent[m.from] += static_cast<double>(m.pieces) * piece;
      all[m.from] += static_cast<double>(m.pieces) * piece;
    });
    sum += *std::max_element(sent.begin(), sent.end());
  }
  return stepByStep ? sum : *std::max_element(all.begin(), all.end());
}

/// The level of the innermost unit that holds two ranks of the group.
std::size_t levelBetween(const GroupShape& shape, std::uint64_t a, std::uint64_t b) {
  std::size_t level = 0;
  while (a / shape.inside[level] != b / shape.inside[level])
    ++level;
  return level;
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
    for (const Phase& phase : phasesOf(c.kind, c.algorithm, c.shape())) {
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
    for (const Phase& phase : phasesOf(c.kind, c.algorithm, c.shape()))
      for (std::uint64_t step = 0; step < phase.steps(); ++step)
        phase.pattern->messages(phase.ranks, step, [&](const Message& m) {
          const std::size_t level = levelBetween(c.shape(), phase.place(m.from), phase.place(m.to));
          if (phase.flat) // the mean of its ranks is what counts
            flat[level] += static_cast<double>(m.pieces) * phase.share /
                           static_cast<double>(phase.pattern->pieces(phase.ranks) * phase.ranks);
          else if (c.row().closedForm)
            EXPECT_EQ(level, phase.level) << nameOf(c);
          else // a tree over several levels counts as one of the outermost
            EXPECT_LE(level, phase.level) << nameOf(c);
        });
    for (const Phase& phase : phasesOf(c.kind, c.algorithm, c.shape()))
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

TEST(AlgorithmsTest, Stated_IsTakenForWhatItDoes_AndNothingElseChanges) {
  for (std::size_t i = 0; i < algorithms().size(); ++i)
    for (CollectiveKind kind :
         {CollectiveKind::AllReduce, CollectiveKind::ReduceScatter, CollectiveKind::AllGather,
          CollectiveKind::AllToAll, CollectiveKind::Broadcast, CollectiveKind::Reduce})
      for (const Lying& lying : shapes())
        for (double bytes : {1e3, 1e9}) {
          const auto algorithm = static_cast<Algorithm>(i);
          Cluster cluster = clusterOf(lying, CollectiveLibrary::ClosedForm);
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
