//===- CollectiveMessages.cpp - A collective simulated message by message ---------------------===//
#include "driver/collective/CollectiveMessages.h"
#include "driver/collective/MessageLinks.h"
#include "ir/Names.h"
#include "support/Threads.h"
#include "support/diagnostics/Score.h"
#include "support/math/Elementary.h"
#include "support/math/Random.h"
#include "llvm/ADT/STLExtras.h"
#include <bit>
#include <cmath>

using namespace dpl;
using namespace dpl::score;

namespace {
constexpr double mostMessages = 1e8, mostAtOnce = 1e6;
constexpr std::uint64_t mostRanks = std::uint64_t{1} << 17;
/// Limit on the bits of the expected time in ps. A time that is 1000 times longer fills a key of
/// the event queue.
constexpr unsigned longest = 50;

/// A phase of the algorithm, with its first step, and the bytes per slice in one set of peers.
struct RunningPhase {
  const cost::AlgorithmPhase* phase = nullptr;
  std::uint32_t firstStep = 0;
  double sliceBytes = 0;
};

/// The messages of successive phases. In each phase all sets of peers communicate at once.
class PhaseProgram final : public simulate::MessageSource {
public:
  PhaseProgram(const cost::Phases& phases, std::uint64_t group, double bytes,
               const MessageLinks& links, double parts)
      : group(static_cast<std::uint32_t>(group)), links(links), parts(parts) {
    for (const cost::AlgorithmPhase& phase : phases) {
      const double pieces = static_cast<double>(phase.pattern->slices(phase.ranks));
      running.push_back({&phase, all, phase.share * bytes / pieces});
      all += static_cast<std::uint32_t>(phase.steps());
    }
  }

  /// Sets the random delays of one draw. There are none if the mean is 0.
  void delayBy(double mean, std::uint64_t seed, std::uint32_t draw) {
    late = mean, key.seed = seed, key.replication = draw;
  }

  std::uint32_t ranks() const override { return group; }
  std::uint32_t steps() const override { return all; }

  void messages(std::uint32_t step, std::vector<simulate::StepMessage>& out) const override {
    const RunningPhase& of = phaseOf(step);
    const cost::AlgorithmPhase& phase = *of.phase;
    const auto sets = static_cast<std::uint32_t>(phase.sets()),
               period = static_cast<std::uint32_t>(phase.period());
    phase.pattern->messages(phase.ranks, step - of.firstStep, [&](const cost::AlgorithmMessage& m) {
      out.push_back({static_cast<std::uint32_t>(phase.place(m.from)),
                     static_cast<std::uint32_t>(phase.place(m.to)),
                     static_cast<double>(m.slices) * of.sliceBytes});
    });
    // The other sets of peers send the same messages.
    const std::size_t one = out.size();
    for (std::uint32_t base = 1; base < group; ++base)
      if (base % period < sets)
        for (std::size_t i = 0; i < one; ++i)
          out.push_back({out[i].from + base, out[i].to + base, out[i].work});
  }

  std::uint64_t latency(std::uint32_t step, std::uint32_t number,
                        const simulate::StepMessage& m) const override {
    double parted = static_cast<double>(links.latency(m.from, m.to)) * parts;
    if (late > 0) {
      simulate::RandomKey own = key;
      own.rank = number, own.step = step;
      parted -= late * simulate::logarithm(simulate::Draws(own).uniform());
    }
    return static_cast<std::uint64_t>(parted);
  }

  void route(std::uint32_t step, const simulate::StepMessage& m,
             simulate::FlowRoute& out) const override {
    const cost::AlgorithmPhase& phase = *phaseOf(step).phase;
    links.route(m.from, m.to, phase.flat && phase.pattern->sideBySide, out);
  }

private:
  const RunningPhase& phaseOf(std::uint32_t step) const {
    const RunningPhase* of = &running.front();
    for (const RunningPhase& next : running)
      if (next.firstStep <= step)
        of = &next;
    return *of;
  }

  llvm::SmallVector<RunningPhase, 8> running;
  std::uint32_t group = 0, all = 0;
  const MessageLinks& links;
  double parts = 1, late = 0;
  simulate::RandomKey key;
};

/// Expected time in ps if links are not shared, including the mean delay of each step.
double expectedTime(double seconds, const MessagesRequest& how, std::uint64_t steps) {
  return 1e12 * seconds + static_cast<double>(how.delay) * static_cast<double>(steps);
}

/// Why the simulation is refused, as a sentence; empty if it is not.
std::string whyNotRun(const cost::Phases& phases, std::uint64_t group, std::uint64_t draws,
                      double expected) {
  if (expected > std::exp2(longest))
    return fmt::format("its messages take about {:.3g} s, at most {:.3g} s can be simulated",
                       expected / 1e12, std::exp2(longest) / 1e12);
  double all = 0, most = 0;
  for (const cost::AlgorithmPhase& phase : phases) {
    // A rank has more than two messages in a step only if it sends to all ranks in one step.
    const auto steps = static_cast<double>(phase.steps()), ranks = static_cast<double>(phase.ranks);
    const double once = static_cast<double>(group) * (steps > 1 ? 2 : ranks);
    all += once * steps * static_cast<double>(draws);
    most = std::max(most, once);
  }
  if (group > mostRanks || most > mostAtOnce || all > mostMessages)
    return fmt::format("up to {:.2g} messages over {} ranks, {:.2g} of them at once, are too many; "
                       "at most {:.2g} over {} ranks and {:.2g} at once can be simulated",
                       all, group, most, mostMessages, mostRanks, mostAtOnce);
  return "";
}

/// The number of parts into which a ps is divided for the simulation. With it the rounding errors
/// of thousands of steps stay below a ps.
double partsFor(double expected) {
  const auto bits = static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(expected)));
  return std::exp2(std::min(12U, longest - std::min(bits, longest)));
}

std::vector<CarriedLinkType> useOf(const MessageLinks& links, llvm::ArrayRef<double> carried,
                                   double time) {
  std::vector<CarriedLinkType> out;
  for (const MessageLinks::LinkTypeSpan& of : links.linkTypes()) {
    CarriedLinkType use{of.name};
    for (std::uint32_t link = of.first; link < of.first + of.count; ++link) {
      const double full = carried[link] / (links.capacities()[link] * time);
      use.links += carried[link] > 0;
      use.bytes = std::max(use.bytes, carried[link]);
      use.busiest = std::max(use.busiest, full);
      use.mean += full;
    }
    if (use.links == 0)
      continue;
    use.mean /= static_cast<double>(use.links);
    out.push_back(std::move(use));
  }
  return out;
}
} // namespace

FailureOr<MessagesRun> score::runMessages(const ir::Plan& plan, const CollectiveRequest& request,
                                          const CollectivePrediction& predicted,
                                          const MessagesRequest& how, DiagnosticEngine& diags) {
  const cost::CollectiveCost& cost = predicted.cost;
  const cost::AlgorithmInfo& row = *cost::algorithms()[static_cast<std::size_t>(cost.algorithm)];
  if (cost.protocol || !row.closedForm)
    return diags
        .report<diag::CollectiveUnsaid>(
            {},
            fmt::format("the messages of NCCL's `{}` are not simulated", ir::name(cost.algorithm)))
        .help(
            "`--set cluster.collectives=closed_form` has algorithms whose messages are simulated");
  const cost::GroupShape shape = cost::shapeOf(*plan.group("data"));
  const cost::Phases phases = cost::phasesOf(request.kind, cost.algorithm, shape);
  if (!shape.torus.empty() && llvm::any_of(phases, [](const cost::AlgorithmPhase& phase) {
        return phase.pattern->farther || phase.pattern->rooted;
      }))
    return diags.report<diag::CollectiveUnsaid>(
        {}, fmt::format("`{}` sends to ranks that are not neighbours in the torus, whose links are "
                        "not simulated one by one",
                        ir::name(cost.algorithm)));
  MessagesRun out;
  out.seed = how.seed;
  for (const cost::AlgorithmPhase& phase : phases)
    out.steps += phase.steps();
  const double expected = expectedTime(cost.seconds, how, out.steps);
  if (const std::string why = whyNotRun(phases, shape.ranks(), how.draws, expected); !why.empty())
    return diags.report<diag::CollectiveUnsaid>({}, why);

  const double parts = partsFor(expected);
  const MessageLinks links(plan.cluster, shape, parts);
  out.seconds.resize(how.draws);
  onThreads(how.draws, how.threads, [&](unsigned, std::uint64_t draw) {
    PhaseProgram program(phases, shape.ranks(), static_cast<double>(request.bytes), links, parts);
    program.delayBy(static_cast<double>(how.delay) * parts, how.seed,
                    static_cast<std::uint32_t>(draw));
    simulate::MessageRun run(program, links.capacities());
    const auto time = static_cast<double>(run.run());
    out.seconds[draw] = time / parts / 1e12;
    if (draw > 0)
      return;
    out.messages = run.messages(), out.shared = run.shared(), out.events = run.events();
    out.links = useOf(links, run.carried(), time);
  });
  return out;
}
