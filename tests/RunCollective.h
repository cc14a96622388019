#pragma once
//===- RunCollective.h - A collective run message by message on sums of contributions ---------===//
#include "cost/collectives/CollectiveCost.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <set>

namespace dpl::test {
using cost::AlgorithmInfo;
using cost::AlgorithmMessage;
using cost::AlgorithmPhase;
using cost::GroupShape;
using cost::Phases;
using ir::CollectiveKind;

/// Ranks of a group by level, and along the dimensions of a torus.
struct Lying {
  std::vector<std::uint64_t> inside;
  std::vector<ir::TorusRanks> torus;
  std::vector<std::uint64_t> order; ///< of rings
  GroupShape shape() const { return {inside, torus, order}; }
};

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
inline std::set<std::size_t> heldBy(const Contributions& state, std::uint64_t rank) {
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
inline std::vector<std::vector<std::uint64_t>> peersOf(const AlgorithmPhase& phase,
                                                       std::uint64_t ranks) {
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
inline void runPhase(const AlgorithmPhase& phase, Contributions& state) {
  for (const std::vector<std::uint64_t>& peers : peersOf(phase, state.size())) {
    std::set<std::size_t> part;
    for (std::uint64_t rank : peers)
      part.merge(heldBy(state, rank));
    const std::vector<std::size_t> atoms(part.begin(), part.end());
    ASSERT_NEAR(static_cast<double>(atoms.size()),
                phase.share * static_cast<double>(state[0].size()), 1e-9);
    const std::size_t size = atoms.size() / phase.pattern->slices(phase.ranks);
    for (std::uint64_t step = 0; step < phase.steps(); ++step) {
      std::vector<Arrival> arrivals;
      phase.pattern->messages(phase.ranks, step, [&](const AlgorithmMessage& m) {
        if (m.from == m.to) // its own, by way of the switch
          return;
        for (std::size_t i = m.firstSlice * size; i < (m.firstSlice + m.slices) * size; ++i)
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

inline void runPhases(const Phases& phases, Contributions& state) {
  for (const AlgorithmPhase& phase : phases)
    ASSERT_NO_FATAL_FAILURE(runPhase(phase, state));
}

inline std::size_t atomsFor(const Phases& phases) {
  std::size_t atoms = 1;
  for (const AlgorithmPhase& phase : phases)
    atoms = std::lcm(atoms,
                     static_cast<std::size_t>(std::llround(
                         static_cast<double>(phase.pattern->slices(phase.ranks)) / phase.share)));
  return atoms;
}

/// Every rank holds its own contribution to every atom.
inline Contributions ownContributions(std::uint64_t ranks, std::size_t atoms) {
  Contributions state(ranks);
  for (std::uint64_t r = 0; r < ranks; ++r)
    state[r].assign(atoms, {std::uint64_t{1} << r});
  return state;
}

inline Sum everyRank(std::uint64_t ranks) { return {(std::uint64_t{1} << ranks) - 1}; }

/// Shards of the sum: complete where held, each atom on exactly one rank.
inline void expectShards(const Contributions& state) {
  std::multiset<std::size_t> held;
  for (std::uint64_t r = 0; r < state.size(); ++r)
    for (std::size_t i : heldBy(state, r)) {
      held.insert(i);
      ASSERT_EQ(state[r][i], everyRank(state.size()));
    }
  ASSERT_EQ(held.size(), state[0].size());
  ASSERT_EQ(std::set<std::size_t>(held.begin(), held.end()).size(), state[0].size());
}

inline void expectSums(const Contributions& state) {
  for (const auto& rank : state)
    for (const Sum& atom : rank)
      ASSERT_EQ(atom, everyRank(state.size()));
}

/// Each rank ends with what every rank had for it. In a phase a rank gives each peer what is for
/// ranks with that peer's place.
inline void expectExchange(const Phases& phases, std::uint64_t ranks) {
  using Piece = std::pair<std::uint64_t, std::uint64_t>; // from, for
  std::vector<std::set<Piece>> state(ranks);
  for (std::uint64_t r = 0; r < ranks; ++r)
    for (std::uint64_t to = 0; to < ranks; ++to)
      state[r].insert({r, to});
  for (const AlgorithmPhase& phase : phases)
    for (const std::vector<std::uint64_t>& peers : peersOf(phase, ranks)) {
      const std::vector<std::set<Piece>> before = state;
      std::set<std::pair<std::uint64_t, std::uint64_t>> pairs;
      for (std::uint64_t step = 0; step < phase.steps(); ++step)
        phase.pattern->messages(phase.ranks, step, [&](const AlgorithmMessage& m) {
          EXPECT_EQ(m.firstSlice, m.to);
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
inline void expectPromise(CollectiveKind kind, const AlgorithmInfo& row, const GroupShape& shape) {
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

/// The level of the innermost unit that holds two ranks of the group.
inline std::size_t levelBetween(const GroupShape& shape, std::uint64_t a, std::uint64_t b) {
  std::size_t level = 0;
  while (a / shape.inside[level] != b / shape.inside[level])
    ++level;
  return level;
}

} // namespace dpl::test
