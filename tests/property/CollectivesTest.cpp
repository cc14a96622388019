//===- CollectivesTest.cpp - Every algorithm on random groups of random networks --------------===//
#include "ir/Names.h"
#include "tests/RunCollective.h"
#include "tests/property/RandomPlan.h"
#include <map>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;
using test::levelBetween;

namespace {
/// A network of up to four levels, and of each level the ranks of a group inside one of its units.
struct DrawnNetwork : test::Lying {
  std::vector<LinkLevel> levels;
};

/// Ranks along two or three dimensions, each whole or a part of one.
std::vector<TorusRanks> torusOf(test::Random& random) {
  std::vector<TorusRanks> torus(2 + random.below(2));
  for (TorusRanks& d : torus) {
    d.ranks = 1 + random.below(4), d.apart = 1 + random.below(2);
    d.size = std::max<std::uint64_t>(2, d.ranks * d.apart * (1 + random.below(2)));
  }
  return torus;
}

DrawnNetwork networkOf(test::Random& random, CollectiveLibrary library) {
  DrawnNetwork out;
  const std::uint64_t levels = 1 + random.below(4);
  std::uint64_t ranks = 1, devices = 1;
  double rate = random.between(50, 900);
  for (std::uint64_t l = 0; l < levels; ++l) {
    std::uint64_t width = 1 + random.below(l == 0 ? 8 : 2);
    if (l == 0 && library == CollectiveLibrary::ClosedForm && random.oneIn(3)) {
      out.torus = torusOf(random), width = 1;
      for (const TorusRanks& d : out.torus)
        width *= d.ranks;
    }
    ranks *= width, devices *= width * (1 + random.below(2));
    LinkLevel level;
    level.level = l == 0   ? Level::Node
                  : l == 1 ? Level::Leaf
                  : l == 2 ? Level::Pod
                           : Level::Cluster;
    level.devices = devices;
    level.bandwidth = static_cast<std::uint64_t>(rate * 8e9);
    level.latency = random.below(20'000'000);
    level.efficiency = random.between(0.5, 1);
    level.oversubscription = l > 1 && random.oneIn(3) ? random.between(1, 4) : 1;
    level.library = library, level.pat = true;
    level.inSwitch = random.oneIn(2) ? random.between(0.4, 1) : 0;
    if (l > 0 && random.oneIn(4)) {
      level.pair = random.between(0.5, 8);
      level.within = random.between(1, 4), level.joined = 1 + random.below(8);
    }
    out.levels.push_back(level), out.inside.push_back(ranks);
    rate /= random.between(1, 10);
  }
  if (random.oneIn(2)) {
    out.order.resize(out.inside[random.below(levels)]);
    std::iota(out.order.begin(), out.order.end(), 0);
    for (std::size_t i = out.order.size(); i > 1; --i)
      std::swap(out.order[i - 1], out.order[random.below(i)]);
  }
  return out;
}

/// Bytes of all ranks over the links of each level, counted from the messages.
std::map<std::size_t, double> crossed(const Phases& phases, const GroupShape& shape, double bytes) {
  std::map<std::size_t, double> sent;
  for (const AlgorithmPhase& phase : phases) {
    const double piece =
        phase.share * bytes / static_cast<double>(phase.pattern->slices(phase.ranks));
    for (std::uint64_t step = 0; step < phase.steps(); ++step)
      phase.pattern->messages(phase.ranks, step, [&](const AlgorithmMessage& m) {
        for (std::uint64_t base = 0; base < shape.ranks(); ++base)
          if (base % phase.period() < phase.sets())
            sent[levelBetween(shape, base + phase.place(m.from), base + phase.place(m.to))] +=
                static_cast<double>(m.slices) * piece;
      });
  }
  return sent;
}

/// What a rank has to send at least, as a share of its buffer: all of it, where switches add.
double leastSent(CollectiveKind kind, double n, bool switched) {
  return kind == CollectiveKind::SendReceive || switched
             ? 1
             : (kind == CollectiveKind::AllReduce ? 2 : 1) * (n - 1) / n;
}

/// Whether every rank sends alike, so that the mean is what each does.
bool isRing(const AlgorithmPhase& phase) {
  return phase.flat && !phase.pattern->inSwitch && !phase.pattern->rooted;
}
} // namespace

TEST(Collectives, OnRandomNetworks_SendTheirBytesAndKeepTheirBounds) {
  std::map<Algorithm, std::size_t> tried;
  for (std::uint64_t seed = 1; seed <= test::plansToMake(); ++seed) {
    test::Random random(seed);
    const auto library = random.oneIn(3) ? CollectiveLibrary::Nccl : CollectiveLibrary::ClosedForm;
    const DrawnNetwork network = networkOf(random, library);
    const GroupShape shape = network.shape();
    const double n = static_cast<double>(shape.ranks()), bytes = std::exp2(random.between(3, 34));
    double fastest = 0; // of all links of a device at once
    for (const LinkLevel& level : network.levels)
      fastest += static_cast<double>(level.bandwidth) / 8;
    for (std::size_t i = 0; n > 1 && i < algorithms().size(); ++i)
      for (const CollectiveKind kind : algorithms()[i]->kinds) {
        const auto algorithm = static_cast<Algorithm>(i);
        const Phases phases = phasesOf(kind, algorithm, shape);
        if (phases.empty() || !algorithms()[i]->isIn(library) ||
            (kind == CollectiveKind::SendReceive && n > 2))
          continue;
        const CollectiveCost cost = costOf(kind, algorithm, bytes, shape, network.levels);
        ++tried[algorithm];
        double sent = 0;
        for (const double level : cost.bytesPerLevel)
          sent += level;
        const bool switched = llvm::any_of(
            phases, [](const AlgorithmPhase& phase) { return phase.pattern->inSwitch; });
        const double least = leastSent(kind, n, switched) * bytes * (1 - 1e-9);
        EXPECT_GE(sent, least) << name(algorithm) << ' ' << seed;
        EXPECT_GE(cost.seconds, least / fastest) << name(algorithm) << ' ' << seed;
        if (!isRing(phases[0]))
          continue;
        for (const auto& [level, all] : crossed(phases, shape, bytes))
          EXPECT_NEAR(cost.bytesPerLevel[level], all / n, 1e-9 * bytes)
              << name(algorithm) << " level " << level << ' ' << seed;
      }
  }
  for (std::size_t i = 0; i < algorithms().size(); ++i)
    EXPECT_GT(tried[static_cast<Algorithm>(i)], test::plansToMake() / 50)
        << name(static_cast<Algorithm>(i));
}

// Run on contributions, every row gives what its collective promises, wherever the ranks lie.
TEST(Collectives, OnRandomGroups_GiveTheirSums) {
  constexpr std::uint64_t mostRanks = 24; // what is run grows with their cube
  std::map<Algorithm, std::size_t> tried;
  for (std::uint64_t seed = 1; seed <= test::plansToMake(); ++seed) {
    test::Random random(seed);
    const DrawnNetwork network = networkOf(random, CollectiveLibrary::ClosedForm);
    const GroupShape shape = network.shape();
    if (shape.ranks() < 2 || shape.ranks() > mostRanks)
      continue;
    for (std::size_t i = 0; i < algorithms().size(); ++i)
      for (const CollectiveKind kind : algorithms()[i]->kinds) {
        const auto algorithm = static_cast<Algorithm>(i);
        if (phasesOf(kind, algorithm, shape).empty() ||
            (kind == CollectiveKind::SendReceive && shape.ranks() > 2))
          continue;
        SCOPED_TRACE(std::string(name(algorithm)) + ' ' + name(kind) + ' ' + std::to_string(seed));
        test::expectPromise(kind, *algorithms()[i], shape);
        ++tried[algorithm];
      }
  }
  for (std::size_t i = 0; i < algorithms().size(); ++i)
    EXPECT_GT(tried[static_cast<Algorithm>(i)], 0U) << name(static_cast<Algorithm>(i));
}

TEST(Collectives, OnRandomNetworks_AreNeverSlowerWithMoreBandwidth) {
  for (std::uint64_t seed = 1; seed <= test::plansToMake(); ++seed) {
    test::Random random(seed);
    const auto library = random.oneIn(2) ? CollectiveLibrary::Nccl : CollectiveLibrary::ClosedForm;
    const DrawnNetwork before = networkOf(random, library);
    DrawnNetwork after = before;
    LinkLevel& changed = after.levels[random.below(after.levels.size())];
    changed.bandwidth =
        static_cast<std::uint64_t>(static_cast<double>(changed.bandwidth) * random.between(1, 8));
    const GroupShape shape = before.shape();
    const double bytes = std::exp2(random.between(3, 34));
    for (const CollectiveKind kind : {CollectiveKind::AllReduce, CollectiveKind::ReduceScatter,
                                      CollectiveKind::AllGather, CollectiveKind::AllToAll}) {
      EXPECT_LE(collectiveCost(kind, bytes, shape, after.levels).seconds,
                collectiveCost(kind, bytes, shape, before.levels).seconds * 1.01)
          << "chosen anew, " << name(kind) << ' ' << seed;
      for (std::size_t i = 0; shape.ranks() > 1 && i < algorithms().size(); ++i) {
        const auto algorithm = static_cast<Algorithm>(i);
        if (phasesOf(kind, algorithm, shape).empty())
          continue;
        EXPECT_LE(costOf(kind, algorithm, bytes, shape, after.levels).seconds,
                  costOf(kind, algorithm, bytes, shape, before.levels).seconds * (1 + 1e-12))
            << name(algorithm) << ' ' << name(kind) << ' ' << seed;
      }
    }
  }
}
