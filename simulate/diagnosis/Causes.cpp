//===- Causes.cpp - Possible causes of a long step, and the plan without each of them ---------===//
#include "simulate/diagnosis/Causes.h"
#include "cost/partition/MakeChunks.h"
#include "ir/Arithmetic.h"
#include "ir/Uplinks.h"
#include "planner/Trial.h"
#include "simulate/diagnosis/CollectiveShares.h"
#include "simulate/diagnosis/SlowPools.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::diagnosis;
using namespace dpl::ir;

namespace {
void eachDevice(Plan& plan, void (*change)(Device&)) {
  for (NodeType& nodes : plan.cluster.nodeTypes)
    change(nodes.device);
}

bool communicates(const Plan& plan) { return !plan.collectives.empty(); }
/// Whether gradients use collectives, not parameter servers.
bool collectivesTakeTime(const Plan& plan) {
  return communicates(plan) && llvm::all_of(plan.layout.dataRanks, [](const DataRanks& ranks) {
           return ranks.servers.empty();
         });
}

void holdUpNobody(Plan& plan) {
  for (Coupling& coupling : plan.cluster.coupling)
    coupling.factor = 1, coupling.bus.clear();
}

bool sharesLinks(const Plan& plan) {
  const LinkType* port = plan.cluster.network.find(LinkKind::Port);
  const auto tapers = [](const LinkType& link) { return link.taper > 1 || link.isDirect(); };
  return communicates(plan) && plan.cluster.nodes > 1 &&
         (llvm::any_of(plan.cluster.network.links, tapers) ||
          (port && port->count < plan.cluster.network.nodeDevices));
}

/// Removes oversubscription and gives each device its own port.
void freeLinks(Plan& plan) {
  Network& network = plan.cluster.network;
  const LinkType* nominal = network.find(LinkKind::Port);
  const double more = nominal && nominal->count < network.nodeDevices
                          ? real(network.nodeDevices) / real(nominal->count)
                          : 1;
  for (LinkType& link : network.links) {
    link.taper = 1;
    if (link.isDirect())
      link.bandwidth = 0, link.count = 1;
    if (link.kind == LinkKind::Port)
      link.count = std::max(link.count, network.nodeDevices);
    if (link.kind == LinkKind::Network)
      link.bandwidth = static_cast<std::uint64_t>(real(link.bandwidth) * more);
  }
  plan.cluster.levels = linkLevels(plan.cluster);
}

bool hasUnevenExperts(const Plan& plan) {
  return llvm::any_of(plan.model.layerTypes, [](const LayerType& c) {
    return c.feedForward.imbalance > 1 || c.feedForward.popularity != PopularityKind::Even;
  });
}

bool always(const Plan&) { return true; }
bool hasPipeline(const Plan& plan) { return plan.placement.ranks > 1; }

constexpr std::uint64_t boundless = 1'000'000'000'000'000'000; // bits/s of a link that is never a
                                                               // bottleneck

const Cause all[] = {
    {.key = "jitter",
     .words = "jitter",
     .removed = "each device takes its mean time",
     .kind = CauseKind::Synchronisation,
     .present = [](const Plan& p) { return p.cluster.jitter.varies(); },
     .made = [](Plan& p) { p.cluster.jitter = {}; },
     .drawn = true},
    {.key = "action_jitter",
     .words = "jitter of layers",
     .removed = "each layer takes its mean time",
     .kind = CauseKind::Synchronisation,
     .present = simulation::LayerTimeDraws::has,
     .made =
         [](Plan& p) {
           for (LayerType& c : p.model.layerTypes)
             c.stated.jitter.clear();
         },
     .drawn = true},
    {.key = "slow_nodes",
     .words = "slower nodes",
     .removed = "all nodes are as fast as the fastest",
     .kind = CauseKind::Synchronisation,
     .present = [](const Plan& p) { return p.cluster.nodeTypes.size() > 1; },
     .declared = equalizeToFastest,
     .magnifies = true},
    {.key = "throttling",
     .words = "throttling",
     .removed = "no rank delays its exchange",
     .kind = CauseKind::Synchronisation,
     .present =
         [](const Plan& p) {
           return llvm::any_of(p.layout.dataRanks, [](const DataRanks& r) {
             return r.throttling != ThrottlingKind::None;
           });
         },
     .made =
         [](Plan& p) {
           for (DataRanks& ranks : p.layout.dataRanks)
             ranks.throttling = ThrottlingKind::None, ranks.delay = 0;
         }},
    {.key = "micro_batch_imbalance",
     .words = "unequal micro-batches",
     .removed = "all micro-batches have the mean cost",
     .kind = CauseKind::Synchronisation,
     .present = [](const Plan& p) { return !p.layout.microBatchCosts.empty(); },
     .made = [](Plan& p) { p.layout.microBatchCosts.clear(); },
     .magnifies = true},
    {.key = "stage_imbalance",
     .words = "unequal stages",
     .removed = "each pipeline rank computes for the mean time",
     .kind = CauseKind::Synchronisation,
     .present = hasPipeline,
     .without = {.imbalance = true}},
    {.key = "expert_imbalance",
     .words = "unequal experts",
     .removed = "all expert ranks have equally many tokens",
     .kind = CauseKind::Synchronisation,
     .present = hasUnevenExperts,
     .declared =
         [](Plan& p) {
           for (LayerType& c : p.model.layerTypes)
             c.feedForward.imbalance = 1, c.feedForward.popularity = PopularityKind::Even;
         }},
    {.key = "bubble",
     .words = "waits in the pipeline",
     .removed = "inputs from neighbouring stages arrive at once",
     .kind = CauseKind::Synchronisation,
     .present = hasPipeline,
     .without = {.bubble = true}},
    {.key = "communication",
     .words = "communication",
     .removed = "messages and collectives take no time",
     .kind = CauseKind::Communication,
     .present = [](const Plan& p) { return communicates(p) || !p.cluster.coupling.empty(); },
     .made =
         [](Plan& p) {
           scaleCollectives(p, [](const Collective&) { return 0.0; });
           p.cluster.delay.clear(), p.cluster.linkJitter.clear();
           holdUpNobody(p);
           for (DataRanks& ranks : p.layout.dataRanks)
             ranks.servers.clear();
         }},
    {.key = "interference",
     .words = "interference",
     .removed = "devices do not slow down one another",
     .kind = CauseKind::Communication,
     .isComponent = true,
     .present = [](const Plan& p) { return !p.cluster.coupling.empty(); },
     .made = holdUpNobody,
     .magnifies = true},
    {.key = "message_delay",
     .words = "message delays",
     .removed = "no message is delayed",
     .kind = CauseKind::Communication,
     .isComponent = true,
     .present = [](const Plan& p) { return communicates(p) && !p.cluster.delay.empty(); },
     .made = [](Plan& p) { p.cluster.delay.clear(); },
     .drawn = true},
    {.key = "link_jitter",
     .words = "link jitter",
     .removed = "each link keeps its mean bandwidth",
     .kind = CauseKind::Communication,
     .isComponent = true,
     .present = simulation::LinkRates::has,
     .made = [](Plan& p) { p.cluster.linkJitter.clear(); },
     .ofMessages = true,
     .drawn = true},
    {.key = "ecmp_hashing",
     .words = "flows hashed onto uplinks",
     .removed = "flows spread evenly over the links out of a leaf or pod",
     .kind = CauseKind::Communication,
     .isComponent = true,
     .present = [](const Plan& p) { return communicates(p) && hashesFlows(p.cluster); },
     .made =
         [](Plan& p) {
           for (LinkType& link : p.cluster.network.links)
             if ((link.kind == LinkKind::Leaf || link.kind == LinkKind::Pod) && !link.isDirect())
               link.count = 1;
         },
     .ofMessages = true},
    {.key = "contention",
     .words = "sharing of links",
     .removed =
         "there is no oversubscription, each device has a port, and messages do not share links",
     .kind = CauseKind::Communication,
     .isComponent = true,
     .present = sharesLinks,
     .declared = freeLinks,
     .without = {.sharing = true}},
    {.key = "locality",
     .words = "placement of layer groups",
     .removed = "tensor, context and expert groups are in one unit of the fastest links",
     .kind = CauseKind::Communication,
     .isComponent = true,
     .present =
         [](const Plan& p) {
           return llvm::any_of(p.collectives, [&](const Collective& c) { return isFar(p, c); });
         },
     .made =
         [](Plan& p) {
           scaleCollectives(p, [&](const Collective& c) { return nearShare(p, c); });
         }},
    {.key = "latency",
     .words = "latency",
     .removed = "messages take only the time of their bytes",
     .kind = CauseKind::Communication,
     .isComponent = true,
     .present = collectivesTakeTime,
     .made =
         [](Plan& p) {
           scaleCollectives(p, [&](const Collective& c) { return 1 - latencyShare(p, c); });
         }},
    {.key = "bandwidth",
     .words = "bytes on links",
     .removed = "messages take only their latency",
     .kind = CauseKind::Communication,
     .isComponent = true,
     .present = collectivesTakeTime,
     .made =
         [](Plan& p) {
           scaleCollectives(p, [&](const Collective& c) { return latencyShare(p, c); });
         }},
    {.key = "memory_bandwidth",
     .words = "device memory",
     .removed = "operators take only the time of their FLOP",
     .kind = CauseKind::MemoryBandwidth,
     .present = always,
     .declared = [](Plan& p) { eachDevice(p, [](Device& d) { d.memoryBandwidth = boundless; }); }},
    {.key = "launches",
     .words = "launches",
     .removed = "the host launches kernels in no time",
     .kind = CauseKind::Compute,
     .present =
         [](const Plan& p) {
           return llvm::any_of(p.cluster.nodeTypes,
                               [](const NodeType& c) { return c.device.launch > 0; });
         },
     .declared = [](Plan& p) { eachDevice(p, [](Device& d) { d.launch = 0; }); }},
    {.key = "data_loading",
     .words = "loading of samples",
     .removed = "samples are ready when a step begins",
     .kind = CauseKind::Input,
     .present = [](const Plan& p) { return !p.cluster.loading.empty(); },
     .made = [](Plan& p) { p.cluster.loading.clear(); }},
};
} // namespace

llvm::StringRef diagnosis::name(CauseKind kind) {
  static constexpr const char* names[] = {
      "compute", "memory bandwidth", "communication", "synchronization", "input", "failure"};
  return names[static_cast<std::size_t>(kind)];
}

llvm::ArrayRef<Cause> diagnosis::causes() { return all; }

Plan diagnosis::restated(const Plan& plan) {
  Plan out = plan;
  out.assertions.clear(), out.runs.clear(), out.launches.clear(), out.spaces.clear();
  out.layout.scheduleAutomatic = out.layout.mesh.automatic = false;
  cost::writeSplit(out.layout, plan);
  return out;
}

std::optional<Plan> diagnosis::planWithout(const Plan& plan, llvm::ArrayRef<const Cause*> removed) {
  Plan out = plan;
  if (llvm::any_of(removed, [](const Cause* cause) { return cause->declared != nullptr; })) {
    out = restated(plan);
    for (const Cause* cause : removed)
      if (cause->declared)
        cause->declared(out);
    if (!planner::firstErrorOf(out).empty())
      return std::nullopt;
  }
  for (const Cause* cause : removed)
    if (cause->made)
      cause->made(out);
  return out;
}

simulation::Ablation diagnosis::stepsWithout(llvm::ArrayRef<const Cause*> removed) {
  simulation::Ablation out;
  for (const Cause* cause : removed) {
    out.bubble |= cause->without.bubble, out.sharing |= cause->without.sharing;
    out.imbalance |= cause->without.imbalance;
  }
  return out;
}
