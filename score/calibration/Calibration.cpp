//===- Calibration.cpp - Facts of a network from collectives timed on it ----------------------===//
//
// The sum over the rows of the size of ln(predicted/measured), rounded at its foot, and of what the
// facts move, is made small: a coordinate at a time, over a window that narrows. The size and not
// its square, so that one row that the day disturbed moves little; the second sum decides what the
// rows leave open, so that two rows are enough.
#include "score/calibration/Calibration.h"
#include "support/diagnostics/Score.h"
#include <cmath>
using namespace dpl;
using namespace dpl::score;
using ir::CollectiveLibrary;
using ir::LinkLevel;

namespace {
constexpr double footOfError = 0.05, weightOfMove = 0.05;
constexpr unsigned sweeps = 40, steps = 6;
constexpr double narrowing = 0.85;

enum class Place : std::uint8_t { ScaleUp, Network, All };

/// A fact as it stands in the levels of the network.
struct Kind {
  const char* path;
  Place place;
  bool isTime; ///< else a share, of at most 1
  double most;
  double usual; ///< a move of this size counts as one
  double parts; ///< of 1 or of a second; it is a whole number of these
  double (*get)(const LinkLevel&);
  void (*set)(LinkLevel&, double);
  std::optional<CollectiveLibrary> only = std::nullopt; ///< the library that has it
};

double seconds(std::uint64_t picoseconds) { return static_cast<double>(picoseconds) * 1e-12; }
std::uint64_t picoseconds(double s) { return static_cast<std::uint64_t>(std::llround(s * 1e12)); }

constexpr double us = 1e-6;
const Kind kinds[] = {
    {"domain.efficiency", Place::ScaleUp, false, 1, 0.2, 1e3,
     [](const LinkLevel& l) { return l.efficiency; },
     [](LinkLevel& l, double v) { l.efficiency = v; }},
    {"domain.in_switch", Place::ScaleUp, false, 1, 0.2, 1e3,
     [](const LinkLevel& l) { return l.inSwitch; }, [](LinkLevel& l, double v) { l.inSwitch = v; }},
    {"domain.latency", Place::ScaleUp, true, 200 * us, 10 * us, 1e7,
     [](const LinkLevel& l) { return seconds(l.latency); },
     [](LinkLevel& l, double v) { l.latency = picoseconds(v); }, CollectiveLibrary::ClosedForm},
    {"network.efficiency", Place::Network, false, 1, 0.2, 1e3,
     [](const LinkLevel& l) { return l.efficiency; },
     [](LinkLevel& l, double v) { l.efficiency = v; }},
    {"network.latency", Place::Network, true, 1000 * us, 20 * us, 1e7,
     [](const LinkLevel& l) { return seconds(l.latency); },
     [](LinkLevel& l, double v) { l.latency = picoseconds(v); }},
    {"collectives.call", Place::All, true, 1000 * us, 20 * us, 1e7,
     [](const LinkLevel& l) { return seconds(l.call); },
     [](LinkLevel& l, double v) { l.call = picoseconds(v); }, CollectiveLibrary::Nccl}};

bool concerns(const Kind& kind, const LinkLevel& level) {
  return kind.place == Place::All || (kind.place == Place::ScaleUp) == level.isScaleUp();
}

struct Fact {
  const Kind* kind = nullptr;
  double was = 0, is = 0;
};

/// A row with the group that it was timed on.
struct Group {
  const Measured* row = nullptr;
  llvm::SmallVector<std::uint64_t, ir::mostLinkLevels> inside;
};

class Fit {
public:
  Fit(const ir::Cluster& cluster, llvm::ArrayRef<Measured> rows, double launch)
      : levels(cluster.levels), launch(launch) {
    for (LinkLevel& level : levels)
      level.inStep = 1; // timed alone
    for (const Measured& row : rows) {
      Group group{&row, {}};
      for (const LinkLevel& level : levels)
        group.inside.push_back(
            std::min(row.ranks, level.devices / cluster.gpusPerNode * (row.ranks / row.nodes)));
      groups.push_back(std::move(group));
    }
    for (const Kind& kind : kinds)
      for (const LinkLevel& level : levels)
        if (concerns(kind, level) && (!kind.only || *kind.only == levels.front().library)) {
          const double was = kind.get(level);
          // No row teaches switches to add.
          if (was > 0 || kind.isTime)
            facts.push_back({&kind, was, was});
          break;
        }
  }

  cost::CollectiveCost cost(const Group& group) const {
    llvm::SmallVector<LinkLevel, ir::mostLinkLevels> with(levels.begin(), levels.end());
    for (const Fact& fact : facts)
      for (LinkLevel& level : with)
        if (concerns(*fact.kind, level))
          fact.kind->set(level, fact.is);
    return cost::collectiveCost(group.row->kind, static_cast<double>(group.row->bytes),
                                {group.inside}, with);
  }
  double predicted(const Group& group) const { return cost(group).seconds + launch; }

  /// Whether a row depends on a fact.
  bool isSeen(Fact& fact) const {
    const double now = fact.is;
    bool seen = false;
    for (const double other : {now / 2, now > 0 ? std::min(2 * now, fact.kind->most) : 20 * us})
      for (const Group& group : groups) {
        const double here = predicted(group);
        fact.is = other;
        seen |= std::abs(predicted(group) / here - 1) > 1e-6;
        fact.is = now;
      }
    return seen;
  }

  void run() {
    llvm::SmallVector<Fact*, 8> open;
    for (Fact& fact : facts)
      if (isSeen(fact))
        open.push_back(&fact);
    double window = 1;
    for (unsigned sweep = 0; sweep < sweeps; ++sweep, window *= narrowing) {
      llvm::SmallVector<double, 8> before;
      for (Fact* fact : open)
        before.push_back(fact->is);
      for (Fact* fact : open)
        improve(*fact, window * fact->kind->most);
      goOn(open, before);
    }
    for (Fact* fact : open)
      fact->is = std::round(fact->is * fact->kind->parts) / fact->kind->parts;
  }

  std::vector<Group> groups;
  std::vector<Fact> facts;

private:
  double loss() const {
    double sum = 0;
    for (const Group& group : groups)
      sum += std::hypot(std::log(predicted(group) / group.row->seconds), footOfError);
    for (const Fact& fact : facts) {
      const double move = (fact.is - fact.was) / fact.kind->usual;
      sum += weightOfMove * move * move;
    }
    return sum;
  }

  static double within(const Fact& fact, double value) {
    return std::clamp(value, fact.kind->isTime ? 0 : 1 / fact.kind->parts, fact.kind->most);
  }

  /// As far again the way that a sweep went, while that is better: valleys lie across coordinates.
  void goOn(llvm::ArrayRef<Fact*> open, llvm::ArrayRef<double> before) const {
    llvm::SmallVector<double, 8> moves, best;
    for (std::size_t i = 0; i < open.size(); ++i)
      moves.push_back(open[i]->is - before[i]), best.push_back(open[i]->is);
    for (double bestLoss = loss(), times = 1; times < 100; times *= 2) {
      for (std::size_t i = 0; i < open.size(); ++i)
        open[i]->is = within(*open[i], best[i] + times * moves[i]);
      const double found = loss();
      if (!(found < bestLoss))
        break;
      bestLoss = found;
      for (std::size_t i = 0; i < open.size(); ++i)
        best[i] = open[i]->is;
    }
    for (std::size_t i = 0; i < open.size(); ++i)
      open[i]->is = best[i];
  }

  /// The best of the values in a window around the present one.
  void improve(Fact& fact, double window) {
    const double centre = fact.is;
    double best = centre, bestLoss = loss();
    for (unsigned i = 0; i <= 2 * steps; ++i) {
      const double offset = (static_cast<double>(i) / steps - 1) * window;
      fact.is = within(fact, centre + offset);
      if (const double found = loss(); found < bestLoss)
        best = fact.is, bestLoss = found;
    }
    fact.is = best;
  }

  std::vector<LinkLevel> levels;
  const double launch;
};
} // namespace

std::string FittedFact::text(double value) const {
  return isTime ? fmt::format("{:.1f}us", value * 1e6) : fmt::format("{:.4g}", value);
}

double Residual::busBandwidth(double seconds) const {
  return static_cast<double>(measured.bytes) / seconds *
         cost::busFactor(measured.kind, static_cast<double>(measured.ranks));
}

FailureOr<Calibration> score::calibrate(const ir::Cluster& cluster, const std::string& name,
                                        llvm::ArrayRef<Measured> rows, Harness harness,
                                        DiagnosticEngine& diags) {
  for (const Measured& row : rows)
    if (row.nodes > cluster.nodes || row.ranks / row.nodes > cluster.gpusPerNode)
      return diags.report<diag::LogBeyondCluster>(row.where, row.nodes, row.ranks / row.nodes, name,
                                                  cluster.nodes, cluster.gpusPerNode);
  Fit fit(cluster, rows, launchOf(harness));
  Calibration out;
  for (const Group& group : fit.groups)
    out.rows.push_back({*group.row, fit.predicted(group), 0, {}});
  std::vector<bool> seen;
  for (Fact& fact : fit.facts)
    seen.push_back(fit.isSeen(fact));
  fit.run();
  for (std::size_t i = 0; i < fit.facts.size(); ++i) {
    const Fact& fact = fit.facts[i];
    out.facts.push_back({fact.kind->path, fact.kind->isTime, fact.was, fact.is, seen[i]});
  }
  for (std::size_t i = 0; i < fit.groups.size(); ++i) {
    out.rows[i].cost = fit.cost(fit.groups[i]);
    out.rows[i].after = fit.predicted(fit.groups[i]);
  }
  return out;
}
