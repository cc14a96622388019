//===- CollectiveDelays.cpp - Delays of collectives by late messages --------------------------===//
#include "simulate/plan/CollectiveDelays.h"
#include "ir/Arithmetic.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>

using namespace dpl;
using namespace dpl::simulation;
using ir::real;

namespace {
/// Limits on the number of simulations per collective: between `manyRuns` and `mostRuns` for few
/// messages, and fewer if they would exceed `mostMessages`.
constexpr std::uint64_t mostRuns = 8192, manyRuns = 512, leastRuns = 32;
constexpr double fewMessages = 5e5, mostMessages = 3e7;
/// Offset of the random numbers, which separates them from those of devices (offset 0), and the
/// seed.
constexpr std::uint32_t ofCollectives = std::uint32_t{3} << 29;
constexpr std::uint64_t seedOfRuns = 0x64656c6179;

/// The number of messages if each distinct collective of a plan is simulated once. Point-to-point
/// messages are not counted.
double messagesOf(const ir::Plan& plan, const StepNetwork& network) {
  llvm::SmallPtrSet<const PreparedMessages*, 16> counted;
  double all = 0;
  for (const ir::Collective& c : plan.collectives) {
    if (c.kind == ir::CollectiveKind::SendReceive)
      continue;
    const PreparedMessages& program = network.messagesOf(c, false);
    if (!counted.insert(&program).second)
      continue;
    for (const cost::MessagePhase& stage : program.sequence.phases)
      all += real(stage.steps) * real(stage.messages.size());
  }
  return all;
}

std::uint64_t runsOf(double messages) {
  if (messages <= 0)
    return mostRuns;
  const auto having = [&](double all) { return static_cast<std::uint64_t>(all / messages); };
  return std::min(std::clamp(having(fewMessages), manyRuns, mostRuns), having(mostMessages));
}

/// The time at which a collective ends if it runs alone on the network.
std::uint64_t endOf(const StepNetwork& network, const PreparedMessages& program,
                    llvm::ArrayRef<std::uint32_t> devices, MessageDelays* delays) {
  simulate::EventQueue queue;
  StepMessages messages(network.links, {}, queue);
  messages.vary(delays, nullptr);
  messages.begin(program, 1, devices, 0, 0, 0);
  while (!queue.empty())
    if (messages.handle(queue.pop()))
      return messages.endedAt();
  return 0;
}
} // namespace

std::string DelayTables::whyNot(const ir::Plan& plan) {
  const StepShape shape(plan, Detail::Collective);
  const StepNetwork network(shape, std::nullopt);
  const double messages = messagesOf(plan, network);
  if (runsOf(messages) >= leastRuns)
    return "";
  return fmt::format("{} draws of the message delays of its collectives have {:.3g} messages, at "
                     "most {:.3g} can be simulated",
                     leastRuns, messages * real(leastRuns), mostMessages);
}

DelayTables::DelayTables(const ir::Plan& plan) : first(plan.collectives.data()) {
  const StepShape shape(plan, Detail::Collective);
  const StepNetwork network(shape, std::nullopt);
  const std::uint64_t runs = runsOf(messagesOf(plan, network));
  MessageDelays delays(plan.cluster.delay.front(), plan.mesh.devices);
  std::map<const PreparedMessages*, std::size_t> index;
  tables.emplace_back(1); // empty table for point-to-point messages, whose delays are drawn
                          // individually
  for (const ir::Collective& c : plan.collectives) {
    if (c.kind == ir::CollectiveKind::SendReceive) {
      ofCollective.push_back(0);
      continue;
    }
    const PreparedMessages& program = network.messagesOf(c, false);
    const auto [at, fresh] = index.try_emplace(&program, tables.size());
    ofCollective.push_back(at->second);
    if (!fresh)
      continue;
    llvm::SmallVector<std::uint32_t, 16> devices;
    for (const std::uint64_t device : plan.groups[c.group].members(
             shape.devicesOf(shape.simulatedRank(0, static_cast<std::uint32_t>(c.rank))).front()))
      devices.push_back(static_cast<std::uint32_t>(device));
    const std::uint64_t alone = endOf(network, program, devices, nullptr);
    std::vector<std::uint64_t>& table = tables.emplace_back();
    for (std::uint32_t run = 0; run < runs; ++run) {
      delays.begin(seedOfRuns + at->second, run);
      const std::uint64_t end = endOf(network, program, devices, &delays);
      table.push_back(end - std::min(end, alone));
    }
  }
}

CollectiveDelays::CollectiveDelays(const StepShape& shape, const DelayTables* tables)
    : shape(shape), tables(tables), each(shape.plan.cluster.delay.front(), shape.plan.mesh.devices),
      counts(shape.rendezvousCount() + shape.simulatedRanks()) {
  for (std::uint32_t unit = 0; unit < shape.simulatedRanks(); ++unit)
    devices.push_back(shape.devicesOf(unit));
}

void CollectiveDelays::begin(std::uint64_t ofSeed, std::uint32_t ofStep) {
  seed = ofSeed, step = ofStep;
  each.begin(seed, step);
  std::fill(counts.begin(), counts.end(), 0);
}

std::uint64_t CollectiveDelays::ofMessage(std::uint32_t unit) {
  std::uint64_t latest = 0;
  for (const std::uint32_t device : devices[unit])
    latest = std::max(latest, each.next(device));
  return latest;
}

std::uint64_t CollectiveDelays::drawn(std::uint32_t whose, llvm::ArrayRef<std::uint32_t> units,
                                      const ir::Collective& c, std::uint64_t times) {
  const std::uint64_t size = shape.plan.groups[c.group].size;
  if (size < 2)
    return 0;
  std::uint64_t members = 0;
  for (const std::uint32_t unit : units)
    members += devices[unit].size();
  const std::uint64_t groups = std::max<std::uint64_t>(1, members / size);
  const llvm::ArrayRef<std::uint64_t> table = tables->of(c);
  simulate::Draws draws({seed, ofCollectives + counts[whose]++, whose, step});
  std::uint64_t latest = 0;
  for (std::uint64_t group = 0; group < groups; ++group) {
    std::uint64_t sum = 0;
    for (std::uint64_t time = 0; time < times; ++time)
      sum += table[draws.next() % table.size()];
    latest = std::max(latest, sum);
  }
  return latest;
}
