//===- WorkersSimulation.cpp - Data ranks with a synchronization mode -------------------------===//
#include "simulate/plan/WorkersSimulation.h"
#include "backends/report/Format.h"
#include "cost/step/Compressed.h"
#include "cost/step/InnerReduction.h"
#include "figures/Figures.h"
#include "ir/DataRanks.h"
#include "ir/Names.h"
#include "simulate/plan/ServerLinks.h"
#include "simulate/plan/Simulation.h"
#include "simulate/plan/StepRun.h"
#include "simulate/plan/WorkerTimes.h"
#include "support/Text.h"
#include "llvm/ADT/STLExtras.h"
#include <fmt/format.h>
#include <numeric>

using namespace dpl;
using namespace dpl::simulation;
using namespace dpl::ir;
using simulate::ExchangeMode;
using simulate::WorkerSynchronization;

namespace {
constexpr double mostSteps = 1e7;                      ///< limit on the steps of all workers
                                                       ///< together
constexpr double mostMessages = 2e7, mostAtOnce = 1e5; ///< limits on the messages of parameter
                                                       ///< servers, in total and at once

struct SynchronizationWord {
  llvm::StringRef name;
  WorkerSynchronization waiting;
  bool bounded = false, detached = false;
};
/// Words of the modes, in the order of ir::SynchronizationKind.
constexpr SynchronizationWord words[] = {
    {"barrier", WorkerSynchronization::Barrier},
    {"local", WorkerSynchronization::Local, true},
    {"backup", WorkerSynchronization::Backup, true},
    {"bounded", WorkerSynchronization::Bounded, true},
    {"asynchronous", WorkerSynchronization::Never},
    {"detached", WorkerSynchronization::Never, false, true},
    {"hierarchical", WorkerSynchronization::Hierarchical, true},
};

SynchronizationKind kindOf(const SynchronizationWord& word) {
  return static_cast<SynchronizationKind>(&word - words);
}

/// The sum of a member of Collective over all gradient reductions of a step.
double ofReductions(const Plan& plan, std::uint64_t Collective::*what) {
  double all = 0;
  for (const Collective& c : plan.collectives)
    all += static_cast<double>(c.*what) * static_cast<double>(c.count);
  return all;
}

const ParameterServers* serversOf(const Plan& plan) {
  const auto& ranks = plan.layout.dataRanks;
  return ranks.empty() || ranks.front().servers.empty() ? nullptr : &ranks.front().servers.front();
}

/// Bytes that a worker sends as gradients, and bytes that it receives as parameters.
struct Exchanged {
  double sent = 0, back = 0;
};
Exchanged exchangedOf(const Plan& plan, const ParameterServers& stated) {
  constexpr double indexBytes = 4;
  const Precision& precision = plan.layout.precision;
  const auto bytesOf = [](DataType type) { return static_cast<double>(bitsOf(type)) / 8; };
  const auto dense = [&](DataType type) {
    return stated.density < 1
               ? std::min(1.0, stated.density * (bytesOf(type) + indexBytes) / bytesOf(type))
               : 1.0;
  };
  double whole = ofReductions(plan, &Collective::bytes), sent = whole;
  if (!plan.layout.compression.empty()) {
    const cost::CompressedSums compressed = cost::compressedSums(plan, 0);
    whole = compressed.wholeBytes, sent = compressed.sentBytes;
  }
  return {sent * dense(precision.reduce), whole / bytesOf(precision.reduce) *
                                              bytesOf(precision.parameters) *
                                              dense(precision.parameters)};
}

simulate::Servers serversOf(const Plan& plan, const ParameterServers& stated) {
  const auto [all, back] = exchangedOf(plan, stated);
  const auto count = static_cast<double>(stated.count);
  simulate::Servers out;
  out.bytes.assign(stated.count, stated.hottestShare > 0 && stated.count > 1
                                     ? all * (1 - stated.hottestShare) / (count - 1)
                                     : all / count);
  if (stated.hottestShare > 0)
    out.bytes.front() = all * stated.hottestShare;
  out.back = back / all;
  out.duplex = stated.duplex;
  out.slices = static_cast<std::uint32_t>(stated.pieces);
  addLinks(plan.cluster, out);
  return out;
}

std::string whyNotServed(const Plan& plan, const WorkersRequest& request) {
  const ParameterServers* servers = serversOf(plan);
  if (!servers)
    return "";
  const WorkerSynchronization waiting = request.synchronization.synchronization;
  if (waiting == WorkerSynchronization::Local || waiting == WorkerSynchronization::Hierarchical ||
      waiting == WorkerSynchronization::Backup || request.synchronization.detached)
    return fmt::format("servers support `barrier`, `bounded` and `asynchronous`, found `{}`",
                       request.synchronization.text);
  if (ofReductions(plan, &Collective::bytes) <= 0)
    return "its servers get no gradients";
  const double once = static_cast<double>(plan.mesh.devices) * static_cast<double>(servers->count);
  const double all = 2 * once * static_cast<double>(servers->pieces * request.steps);
  if (all > mostMessages || once > mostAtOnce)
    return fmt::format("{:.3g} messages of {:.3g} pairs of a worker and a server are too many, at "
                       "most {:.3g} of {:.3g} can be simulated",
                       all, once, mostMessages, mostAtOnce);
  return "";
}

/// The number of steps rounded up to whole rounds, because each round ends with an exchange.
std::uint64_t wholeRounds(const WorkersRequest& request) {
  const WorkerSynchronization waiting = request.synchronization.synchronization;
  return waiting == WorkerSynchronization::Local || waiting == WorkerSynchronization::Hierarchical
             ? ceilDiv(request.steps, request.synchronization.bound) * request.synchronization.bound
             : request.steps;
}

bool overlapsReductions(const Plan& plan) {
  return llvm::any_of(plan.collectives, [](const Collective& c) { return c.overlapped; });
}

/// Whether two devices have equal rates, apart from `speed`.
bool isTheSame(const Device& a, const Device& b) {
  return a.memoryBandwidth == b.memoryBandwidth && a.peak == b.peak && a.launch == b.launch &&
         a.sustainedMatmul == b.sustainedMatmul && a.sustainedAttention == b.sustainedAttention &&
         a.sustainedMemory == b.sustainedMemory &&
         a.sustainedLowPrecision == b.sustainedLowPrecision &&
         a.sustainedFp8Gradients == b.sustainedFp8Gradients &&
         a.efficiencyHalfSize == b.efficiencyHalfSize && a.contention == b.contention;
}

} // namespace

std::optional<SynchronizationMode> dpl::simulation::synchronizationNamed(const std::string& text) {
  const auto [name, bound] = llvm::StringRef(text).split('=');
  for (const SynchronizationWord& word : words) {
    SynchronizationMode out{word.waiting, 0, word.detached, text, kindOf(word)};
    if (name != word.name || word.bounded != llvm::StringRef(text).contains('='))
      continue;
    if (word.bounded && (bound.getAsInteger(10, out.bound) || out.bound > 1'000'000))
      return std::nullopt;
    if ((word.waiting == WorkerSynchronization::Local ||
         word.waiting == WorkerSynchronization::Hierarchical) &&
        out.bound == 0)
      return std::nullopt;
    return out;
  }
  return std::nullopt;
}

SynchronizationMode dpl::simulation::synchronizationOf(const Plan& plan) {
  const DataRanks ranks =
      plan.layout.dataRanks.empty() ? DataRanks() : plan.layout.dataRanks.front();
  const auto index = static_cast<std::size_t>(ranks.synchronization);
  const SynchronizationWord& word = words[index];
  SynchronizationMode out{word.waiting, static_cast<std::uint32_t>(ranks.bound), word.detached,
                          word.bounded ? fmt::format("{}={}", word.name.str(), ranks.bound)
                                       : word.name.str(),
                          ranks.synchronization};
  out.inner = static_cast<std::uint32_t>(ranks.inner), out.among = ranks.among;
  if (ranks.late == LateGradients::Reject) {
    out.synchronization = WorkerSynchronization::Never;
    out.rejectsAbove = ranks.bound;
  }
  return out;
}

void dpl::simulation::stepBy(Plan& plan, const SynchronizationMode& synchronization) {
  if (plan.layout.dataRanks.empty()) {
    if (synchronization.kind == SynchronizationKind::Barrier)
      return; // a barrier is the default
    plan.layout.dataRanks.emplace_back();
  }
  DataRanks& ranks = plan.layout.dataRanks.front();
  ranks.synchronization = synchronization.kind, ranks.bound = synchronization.bound;
  ranks.inner = synchronization.inner, ranks.among = synchronization.among;
  ranks.late = synchronization.rejectsAbove ? LateGradients::Reject : LateGradients::Wait;
}

bool dpl::simulation::stepsByWorkers(const Plan& plan) {
  return !plan.layout.dataRanks.empty() || !plan.cluster.coupling.empty();
}

std::string dpl::simulation::whyNotSimulated(const Plan& plan, const WorkersRequest& request) {
  for (const Collective& c : plan.collectives)
    if (c.purpose != CollectivePurpose::GradientReduce)
      return fmt::format(
          "a worker of `--synchronization` is one device that holds the whole model, and "
          "the ranks of this layout also communicate for `{}`",
          name(c.purpose));
  if (!plan.cluster.loading.empty() || !plan.cluster.delay.empty() ||
      !plan.cluster.linkJitter.empty() || LayerTimeDraws::has(plan))
    return "loading, message delays, link jitter and jitter of layers are simulated for steps that "
           "all "
           "ranks begin together only";
  for (const NodeType& nodes : plan.cluster.nodeTypes)
    if (!isTheSame(nodes.device, plan.cluster.device()))
      return fmt::format(
          "node pool `{}` has other devices, but node pools may differ in `speed` only",
          nodes.displayName());
  if (const std::string why = whyNotCoupled(plan, request.synchronization.kind); !why.empty())
    return why;
  const std::uint64_t devices = plan.mesh.devices;
  if (request.synchronization.synchronization == WorkerSynchronization::Backup &&
      request.synchronization.bound >= devices)
    return fmt::format("{} cannot be left out of {}",
                       plural(request.synchronization.bound, "worker"), plural(devices, "worker"));
  if (request.synchronization.synchronization == WorkerSynchronization::Hierarchical) {
    if (const std::string why = whyNoUnits(plan, request.synchronization.among); !why.empty())
      return why;
    if (!plan.layout.compression.empty())
      return "compressed gradients are exchanged between all ranks, not inside of units first";
  }
  const std::uint64_t steps = wholeRounds(request);
  const double all = static_cast<double>(devices) * static_cast<double>(steps);
  if (all > mostSteps)
    return fmt::format("{} steps of {} workers are {:.3g}, at most {:.3g} can be simulated", steps,
                       devices, all, mostSteps);
  return whyNotServed(plan, request);
}

WorkersResult dpl::simulation::runWorkers(const Plan& plan, const WorkersRequest& request) {
  const StepShape folded(plan, Detail::Folded);
  StepRun steady(folded);
  const auto step = static_cast<double>(steady.run({}));
  WorkersResult out;
  out.request = request;
  out.compute = static_cast<double>(steady.times().front().compute);
  simulate::Workers& workers = out.workers;
  workers.workers = static_cast<std::uint32_t>(plan.mesh.devices);
  workers.steps = static_cast<std::uint32_t>(wholeRounds(request));
  workers.apart = stepsApart(plan.cluster);
  out.settles = meanSettles(plan);
  workers.synchronization = request.synchronization.synchronization;
  workers.bound = request.synchronization.bound;
  // If each step has a barrier, only the exposed part of the reduction counts; otherwise all of it.
  workers.exchange = workers.synchronization == WorkerSynchronization::Barrier ||
                             workers.synchronization == WorkerSynchronization::Backup
                         ? step - out.compute
                         : ofReductions(plan, &Collective::time);
  if (workers.synchronization == WorkerSynchronization::Hierarchical) {
    workers.inner = request.synchronization.inner;
    workers.workersPerUnit =
        static_cast<std::uint32_t>(plan.cluster.devicesIn(request.synchronization.among));
    workers.innerExchange = cost::innerReduction(plan, request.synchronization.among);
  }
  workers.keepsUpdates = request.keepsUpdates || request.synchronization.rejectsAbove;
  workers.kind = request.synchronization.detached ? ExchangeMode::Detached
                 : overlapsReductions(plan)       ? ExchangeMode::Overlapped
                                                  : ExchangeMode::Serial;
  const double update = figures::Figures(plan).value("time.optimizer").value_or(0) * 1e12;
  WorkerTimes times(plan, request.seed, out.compute, update);
  std::vector<std::optional<std::uint32_t>> slowest;
  std::vector<double> ofStep;
  const auto computeOf = [&](std::uint32_t worker, std::uint32_t at) {
    const double time = times.of(worker, at);
    ofStep.push_back(time);
    if (ofStep.size() == workers.workers) {
      const double mean = std::accumulate(ofStep.begin(), ofStep.end(), 0.0) / workers.workers;
      for (double& each : ofStep)
        each /= std::max(1.0, mean);
      slowest.push_back(longestOf(ofStep));
      ofStep.clear();
    }
    return time;
  };
  if (const ParameterServers* stated = serversOf(plan)) {
    out.servers = serversOf(plan, *stated);
    out.atServers = simulate::run(workers, *out.servers, computeOf);
    out.time = out.atServers.workers;
    workers.exchange = out.atServers.exchange;
  } else {
    out.time = simulate::run(workers, computeOf);
  }
  if (const auto bound = request.synchronization.rejectsAbove) {
    out.time.lost = simulate::rejectedShare(out.time.updates, *bound);
    out.time.ages = simulate::acceptedAges(out.time.updates, *bound);
  }
  out.slowest = mostOften(workers.workers, slowest);
  out.throttling = times.throttling();
  out.delay = times.lastDelay();
  out.coupling = times.coupling();
  if (!times.alone().empty()) {
    const double exchange = workers.exchange;
    simulate::Throttling fixed = out.throttling;
    out.bestDelay = simulate::bestDelay(fixed, times.alone());
    fixed.delay = out.bestDelay, fixed.change = 0;
    out.bestStep = exchange + simulate::meanStep(fixed, times.alone());
    fixed.delay = 0;
    out.unthrottledStep = exchange + simulate::meanStep(fixed, times.alone());
  }
  const auto [least, most] = std::minmax_element(times.shares().begin(), times.shares().end());
  out.leastShare = static_cast<double>(*least), out.mostShare = static_cast<double>(*most);
  constexpr std::size_t few = 1000;
  if (times.shares().size() <= few)
    out.shares = times.shares();
  return out;
}
