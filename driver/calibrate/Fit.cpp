//===- Fit.cpp - Link parameters fitted to timed collectives ----------------------------------===//
//
// Minimizes the sum of |ln(predicted/measured)| over the collectives, smoothed near 0, plus a
// penalty on changes of the parameters. It is a coordinate descent whose steps become smaller. It
// is started with several step sizes, because large steps end in other minima than small ones.
// Absolute values limit the effect of a disturbed measurement. The penalty determines the
// parameters on which the collectives do not depend, so two collectives are enough.
#include "driver/calibrate/Fit.h"
#include <cmath>
#include <map>
using namespace dpl;
using namespace dpl::score;
using ir::CollectiveLibrary;
using ir::LinkLevel;

namespace {
constexpr double footOfError = 0.05, weightOfMove = 0.05;
constexpr unsigned sweeps = 40, steps = 6;
constexpr double narrowing = 0.85, firstWindows[] = {1, 0.5, 0.2, 0.1};

double seconds(std::uint64_t picoseconds) { return static_cast<double>(picoseconds) * 1e-12; }
std::uint64_t picoseconds(double s) { return static_cast<std::uint64_t>(std::llround(s * 1e12)); }

constexpr double us = 1e-6;
const FactKind kinds[] = {
    {"domain.efficiency", FactPlace::ScaleUp, false, 1, 0.2, 1e3,
     [](const LinkLevel& l) { return l.efficiency; },
     [](LinkLevel& l, double v) { l.efficiency = v; }},
    {"domain.sharp_efficiency", FactPlace::ScaleUp, false, 1, 0.2, 1e3,
     [](const LinkLevel& l) { return l.inSwitch; }, [](LinkLevel& l, double v) { l.inSwitch = v; }},
    {"domain.latency", FactPlace::ScaleUp, true, 200 * us, 10 * us, 1e7,
     [](const LinkLevel& l) { return seconds(l.latency); },
     [](LinkLevel& l, double v) { l.latency = picoseconds(v); }, CollectiveLibrary::ClosedForm},
    {"network.efficiency", FactPlace::Network, false, 1, 0.2, 1e3,
     [](const LinkLevel& l) { return l.efficiency; },
     [](LinkLevel& l, double v) { l.efficiency = v; }},
    {"network.sharp_efficiency", FactPlace::Network, false, 1, 0.2, 1e3,
     [](const LinkLevel& l) { return l.inSwitch; }, [](LinkLevel& l, double v) { l.inSwitch = v; }},
    {"network.latency", FactPlace::Network, true, 1000 * us, 20 * us, 1e7,
     [](const LinkLevel& l) { return seconds(l.latency); },
     [](LinkLevel& l, double v) { l.latency = picoseconds(v); }},
    {"collectives.overhead", FactPlace::All, true, 1000 * us, 20 * us, 1e7,
     [](const LinkLevel& l) { return seconds(l.collectiveOverhead); },
     [](LinkLevel& l, double v) { l.collectiveOverhead = picoseconds(v); },
     CollectiveLibrary::Nccl}};

/// Whether a level has a parameter. A parameter of 0, such as that of an absent switch, is not
/// fitted.
bool has(const FactKind& kind, const LinkLevel& level) {
  return (kind.place == FactPlace::All ||
          (kind.place == FactPlace::ScaleUp) == level.isScaleUp()) &&
         (!kind.only || *kind.only == level.library) && (kind.isTime || kind.get(level) > 0);
}

/// The value that a parameter has in the first links that have it.
std::optional<double> stated(const FactKind& kind, llvm::ArrayRef<MeasuredCollective> collectives) {
  for (const MeasuredCollective& call : collectives)
    for (const LinkLevel& level : call.links)
      if (has(kind, level))
        return kind.get(level);
  return std::nullopt;
}

/// Whether two collectives differ only in their measured time.
bool alike(const MeasuredCollective& a, const MeasuredCollective& b) {
  return a.measured.kind == b.measured.kind && a.measured.bytes == b.measured.bytes &&
         a.launch == b.launch && a.algorithm == b.algorithm && a.inside == b.inside &&
         a.order == b.order && a.torus == b.torus && a.links == b.links;
}

/// For each collective, the index of the first equal one. Logs repeat sizes.
std::vector<std::size_t> firstAlike(llvm::ArrayRef<MeasuredCollective> collectives) {
  std::map<std::uint64_t, std::vector<std::size_t>> ofSize;
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < collectives.size(); ++i) {
    std::vector<std::size_t>& firsts = ofSize[collectives[i].measured.bytes];
    const auto same = llvm::find_if(
        firsts, [&](std::size_t first) { return alike(collectives[first], collectives[i]); });
    out.push_back(same == firsts.end() ? i : *same);
    if (same == firsts.end())
      firsts.push_back(i);
  }
  return out;
}

double within(const Fact& fact, double value) {
  return std::clamp(value, fact.kind->isTime ? 0 : 1 / fact.kind->parts, fact.kind->most);
}
} // namespace

Fit::Fit(std::vector<MeasuredCollective> given)
    : collectives(std::move(given)), first(firstAlike(collectives)) {
  for (const FactKind& kind : kinds)
    if (const std::optional<double> was = stated(kind, collectives))
      facts.push_back({&kind, *was, *was});
}

Fit::Fit(std::vector<MeasuredCollective> given, llvm::ArrayRef<StartValue> starts)
    : collectives(std::move(given)), first(firstAlike(collectives)) {
  for (const StartValue& start : starts)
    if (stated(*start.kind, collectives))
      facts.push_back({start.kind, start.value, start.value});
}

const FactKind& score::factKind(llvm::StringRef path) {
  return *llvm::find_if(kinds, [&](const FactKind& kind) { return path == kind.path; });
}

cost::CollectiveCost Fit::cost(const MeasuredCollective& collective) const {
  llvm::SmallVector<LinkLevel, ir::linkLevelCount> with(collective.links.begin(),
                                                        collective.links.end());
  for (const Fact& fact : facts)
    for (LinkLevel& level : with)
      if (has(*fact.kind, level))
        fact.kind->set(level, fact.is);
  const cost::GroupShape shape{collective.inside, collective.torus, collective.order};
  const auto bytes = static_cast<double>(collective.measured.bytes);
  return collective.algorithm
             ? cost::costOf(collective.measured.kind, *collective.algorithm, bytes, shape, with)
             : cost::collectiveCost(collective.measured.kind, bytes, shape, with);
}

bool Fit::isSeen(Fact& fact) const {
  const double now = fact.is;
  bool seen = false;
  for (const double other : {now / 2, now > 0 ? std::min(2 * now, fact.kind->most) : 20 * us})
    for (const MeasuredCollective& collective : collectives) {
      const double here = predicted(collective);
      fact.is = other;
      seen |= std::abs(predicted(collective) / here - 1) > 1e-6;
      fact.is = now;
    }
  return seen;
}

void Fit::run() {
  llvm::SmallVector<Fact*, 8> open;
  for (Fact& fact : facts)
    if (isSeen(fact))
      open.push_back(&fact);
  std::vector<Fact> best = facts;
  double bestLoss = loss();
  for (const double window : firstWindows) {
    for (Fact* fact : open)
      fact->is = fact->was;
    descend(open, window);
    for (Fact* fact : open)
      fact->is = std::round(fact->is * fact->kind->parts) / fact->kind->parts;
    if (const double found = loss(); found < bestLoss)
      best = facts, bestLoss = found;
  }
  for (std::size_t i = 0; i < facts.size(); ++i)
    facts[i].is = best[i].is;
}

void Fit::descend(llvm::ArrayRef<Fact*> open, double window) {
  for (unsigned sweep = 0; sweep < sweeps; ++sweep, window *= narrowing) {
    llvm::SmallVector<double, 8> before;
    for (Fact* fact : open)
      before.push_back(fact->is);
    for (Fact* fact : open)
      improve(*fact, window * fact->kind->most);
    extrapolate(open, before);
  }
}

double Fit::loss() const {
  double sum = 0;
  std::vector<double> times; // times of the collectives
  for (std::size_t i = 0; i < collectives.size(); ++i) {
    times.push_back(first[i] == i ? predicted(collectives[i]) : times[first[i]]);
    sum += std::hypot(std::log(times[i] / collectives[i].measured.seconds), footOfError);
  }
  for (const Fact& fact : facts) {
    const double move = (fact.is - fact.was) / fact.kind->usual;
    sum += weightOfMove * move * move;
  }
  return sum;
}

/// Repeats the moves of the last sweep while the loss decreases. A coordinate descent alone would
/// be slow in valleys that are diagonal.
void Fit::extrapolate(llvm::ArrayRef<Fact*> open, llvm::ArrayRef<double> before) const {
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

/// Sets a parameter to the best value in a window around the current one.
void Fit::improve(Fact& fact, double window) {
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
