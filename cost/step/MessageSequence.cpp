//===- MessageSequence.cpp - A collective as the messages of its algorithm --------------------===//
#include "cost/step/MessageSequence.h"
#include "cost/collectives/TokenDispatch.h"
#include "cost/step/CollectiveEnds.h"
#include "ir/Arithmetic.h"
#include "ir/Uplinks.h"
#include <cmath>
#include <map>

using namespace dpl;
using namespace dpl::cost;
using ir::real;

namespace {
using Seconds = std::array<double, ir::linkLevelCount>;

/// A phase whose times are not rounded to ps yet.
struct PhaseDraft {
  MessagePhase stage;
  double latency = 0, busy = 0; ///< seconds of a step
};

class MessageSequenceBuilder {
public:
  MessageSequenceBuilder(const cost::GroupShape& shape, llvm::ArrayRef<ir::LinkLevel> levels,
                         bool hashed, bool ring)
      : shape(shape), levels(levels), apart(hashed), hops(hashed && ring) {
    for (const ir::LinkLevel& level : levels)
      apart = apart || (!level.isScaleUp() &&
                        rateOf(level) < rateOf(levels[1]) * levels[1].taper() * (1 - 1e-9));
  }

  /// In each step every member sends over every level for the level's share of the time.
  void addUniform(std::uint64_t steps, double latency, const Seconds& seconds, const Seconds& bytes,
                  bool atOnce) {
    const double slowest = *std::max_element(seconds.begin(), seconds.end());
    PhaseDraft draft{{}, latency, slowest / real(steps)};
    draft.stage.steps = steps;
    // If only ports limit the rate, one message over the outermost level represents all levels.
    std::size_t network = 0;
    for (std::size_t l = 0; l < levels.size(); ++l)
      if (!levels[l].isScaleUp() && seconds[l] > 0 &&
          (network == 0 || seconds[l] >= seconds[network]))
        network = l;
    for (std::size_t l = 0; l < levels.size(); ++l)
      if (seconds[l] > 0 && atOnce && apart && levels[l].pair > 0)
        addToEachUnit(draft, l, seconds[l] / slowest, partAt(l, bytes));
      else if (seconds[l] > 0 && (levels[l].isScaleUp() || apart || l == network))
        for (std::uint64_t i = 0; i < shape.ranks(); ++i) {
          const bool hop = hops && !levels[l].isScaleUp();
          if (!hop || hopLevel(i) == l)
            draft.stage.messages.push_back(
                message(i, hop ? hopOf(i) : peerAt(i, l), l, seconds[l] / slowest,
                        hop ? real(shape.below(l)) / real(inDomain()) : partAt(l, bytes)));
        }
    if (draft.stage.messages.empty())
      draft.stage.messages.push_back({0, 0, 0, 0, 0});
    all.push_back(std::move(draft));
  }

  /// Adds a message from the first of two members to the second.
  void addOne(double latency, const Seconds& seconds) {
    const auto slowest = std::max_element(seconds.begin(), seconds.end());
    PhaseDraft draft{{}, latency, *slowest};
    draft.stage.messages.push_back(
        message(0, 1, static_cast<std::size_t>(slowest - seconds.begin()), 1, 1));
    all.push_back(std::move(draft));
  }

  void add(const cost::AlgorithmPhase& phase, double bytes) {
    const cost::PhaseTime time = cost::timeOf(phase, bytes, shape, levels);
    if (phase.flat)
      return addUniform(phase.steps(), time.latency, time.seconds, time.bytes,
                        phase.pattern->atOnce);
    // Rings send the same messages in every step.
    const bool alike = phase.pattern->sideBySide;
    const double pieces = phase.sent() * real(phase.pattern->slices(phase.ranks)) / phase.share;
    const double piece = time.seconds[phase.level] / pieces;
    for (std::uint64_t step = 0; step < (alike ? 1 : phase.steps()); ++step) {
      PhaseDraft draft{{}, time.latency, 0};
      draft.stage.steps = alike ? phase.steps() : 1;
      addStep(draft, phase, step, piece);
      all.push_back(std::move(draft));
    }
  }

  MessageSequence sequence(std::uint64_t time) const {
    MessageSequence out;
    out.time = time, out.members = static_cast<std::uint32_t>(shape.ranks());
    double whole = 0, before = 0;
    for (const PhaseDraft& draft : all)
      whole += lengthOf(draft);
    std::uint64_t begin = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const PhaseDraft& draft = all[i];
      before += lengthOf(draft);
      const std::uint64_t end =
          i + 1 == all.size() || whole <= 0
              ? time
              : std::min(time,
                         static_cast<std::uint64_t>(std::llround(real(time) * before / whole)));
      MessagePhase stage = draft.stage;
      stage.time = end - begin;
      const double step = draft.latency + draft.busy;
      stage.latency = step > 0 ? draft.latency / step : 0;
      out.phases.push_back(std::move(stage));
      out.uniform = out.uniform && isUniform(out.phases.back());
      begin = end;
    }
    return out;
  }

private:
  static double rateOf(const ir::LinkLevel& level) { return cost::sustainedBandwidth(level); }
  static double lengthOf(const PhaseDraft& draft) {
    return real(draft.stage.steps) * (draft.latency + draft.busy);
  }
  static MemberMessage message(std::uint64_t from, std::uint64_t to, std::size_t level,
                               double share, double part) {
    return {static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to),
            static_cast<std::uint32_t>(level), share, part};
  }
  /// Outside a domain all levels share the device's port.
  double partAt(std::size_t l, const Seconds& bytes) const {
    if (!apart || levels[l].isScaleUp())
      return 1;
    double beyond = 0;
    for (std::size_t further = l; further < levels.size(); ++further)
      beyond += bytes[further];
    return beyond > 0 ? bytes[l] / beyond : 1;
  }
  /// The member with the same position in one of the next units that this level joins.
  std::uint64_t peerAt(std::uint64_t i, std::size_t l, std::uint64_t next = 1) const {
    const std::uint64_t unit = shape.inside[l], first = i / unit * unit;
    return first + (i - first + next * shape.below(l)) % unit;
  }
  /// Each unit has separate links to each other unit, and all of them carry a share.
  void addToEachUnit(PhaseDraft& draft, std::size_t l, double share, double part) const {
    const std::uint64_t others = shape.widthAt(l) - 1;
    const double each = part * cost::moreToAll(levels[l], shape, l) / real(others);
    for (std::uint64_t i = 0; i < shape.ranks(); ++i)
      for (std::uint64_t next = 1; next <= others; ++next)
        draft.stage.messages.push_back(message(i, peerAt(i, l, next), l, share, each));
  }
  // Rings leave a domain for the next one in parallel, each through its own port, over the level
  // between them. A unit sends only from its last domain.
  std::uint64_t inDomain() const { return levels.front().isScaleUp() ? shape.inside.front() : 1; }
  std::uint64_t hopOf(std::uint64_t i) const { return (i + inDomain()) % shape.ranks(); }
  std::size_t hopLevel(std::uint64_t i) const {
    std::size_t l = 0;
    while (i / shape.inside[l] != hopOf(i) / shape.inside[l])
      ++l;
    return l;
  }

  void addStep(PhaseDraft& draft, const cost::AlgorithmPhase& phase, std::uint64_t step,
               double piece) {
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> sent;
    phase.pattern->messages(phase.ranks, step, [&](const cost::AlgorithmMessage& m) {
      sent[{phase.place(m.from), phase.place(m.to)}] += m.slices;
    });
    std::uint64_t most = 1;
    for (const auto& [ends, count] : sent)
      most = std::max(most, count);
    draft.busy = real(most) * piece;
    for (std::uint64_t base = 0; base < shape.ranks(); ++base)
      if (base % phase.period() < phase.sets())
        for (const auto& [ends, count] : sent)
          draft.stage.messages.push_back(message(ends.first + base, ends.second + base, phase.level,
                                                 real(count) / real(most), 1));
  }

  bool isUniform(const MessagePhase& stage) const {
    std::vector<std::array<double, ir::linkLevelCount>> out(shape.ranks()), in(shape.ranks());
    for (const MemberMessage& m : stage.messages)
      out[m.from][m.level] += m.share, in[m.to][m.level] += m.share;
    for (std::size_t i = 0; i < out.size(); ++i)
      if (out[i] != out.front() || in[i] != out.front())
        return false;
    return true;
  }

  const cost::GroupShape shape;
  const llvm::ArrayRef<ir::LinkLevel> levels;
  bool apart; ///< units have separate links outwards: slower than ports, or with hashed flows
  bool hops;  ///< rings with hashed flows, for which the sending devices matter
  std::vector<PhaseDraft> all;
};

/// Seconds in which the links of each level are busy, including the time of the protocol's flags.
Seconds busyTimes(const cost::CollectiveCost& cost, llvm::ArrayRef<ir::LinkLevel> levels) {
  Seconds seconds = cost.secondsPerLevel;
  for (std::size_t l = 0; l < levels.size(); ++l)
    if (cost.protocol && seconds[l] > 0)
      seconds[l] /=
          levels[l].isScaleUp() ? cost.protocol->insideShare : cost.protocol->networkShare;
  return seconds;
}
} // namespace

MessageSequence cost::messagesOf(const ir::Plan& plan, const ir::Collective& c, bool hashed) {
  const CollectiveEnds ends = endsOf(plan, c);
  const cost::GroupShape shape = ends.shape();
  MessageSequenceBuilder drafts(shape, ends.levels, hashed && ir::hashesFlows(plan.cluster),
                                c.algorithm == ir::Algorithm::Ring);
  if (shape.ranks() < 2)
    return drafts.sequence(c.time);
  const bool own = !cost::isOfLibrary(plan, c);
  llvm::SmallVector<double, ir::linkLevelCount> sent;
  for (const std::uint64_t bytes : c.bytesPerLevel)
    sent.push_back(real(bytes));
  const cost::CollectiveCost cost =
      own ? cost::dispatchCost(plan.layout.kernels.dispatch, sent, shape, ends.levels)
          : cost::costOf(c.kind, c.algorithm, real(c.bytes), shape, ends.levels);
  const cost::Phases phases = own ? cost::Phases() : cost::phasesOf(c.kind, c.algorithm, shape);
  const Seconds busy = busyTimes(cost, ends.levels);
  const double latency = std::max(0.0, cost.seconds - *std::max_element(busy.begin(), busy.end()));
  if (c.kind == ir::CollectiveKind::SendReceive)
    drafts.addOne(latency, busy);
  else if (own || cost.protocol)
    drafts.addUniform(1, latency, busy, cost.bytesPerLevel, own || phases[0].pattern->atOnce);
  else
    for (const cost::AlgorithmPhase& phase : phases)
      drafts.add(phase, real(c.bytes));
  return drafts.sequence(c.time);
}

MessageSequence cost::ofOneMember(const MessageSequence& all) {
  MessageSequence one;
  one.time = all.time;
  for (const MessagePhase& of : all.phases) {
    MessagePhase& stage = one.phases.emplace_back();
    stage.steps = of.steps, stage.time = of.time, stage.latency = of.latency;
    for (const MemberMessage& m : of.messages) {
      const auto same = std::find_if(stage.messages.begin(), stage.messages.end(),
                                     [&](const MemberMessage& s) { return s.level == m.level; });
      if (same == stage.messages.end())
        stage.messages.push_back({0, 0, m.level, m.share, m.part});
      else
        same->share = std::max(same->share, m.share);
    }
  }
  return one;
}
