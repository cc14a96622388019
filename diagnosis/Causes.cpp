//===- Causes.cpp - What can make a step long, and the step without it --------------------===//
#include "diagnosis/Causes.h"
#include "cost/partition/MakeChunks.h"
#include "diagnosis/CallShares.h"
#include "ir/Arithmetic.h"
#include "ir/Uplinks.h"
#include "planner/Trial.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::diagnosis;
using namespace dpl::ir;

namespace {
void eachDevice(Plan& plan, void (*change)(Device&)) {
  for (NodeClass& nodes : plan.cluster.classes)
    change(nodes.device);
}

bool communicates(const Plan& plan) { return !plan.collectives.empty(); }
/// Gradients that go to servers are not those of a collective.
bool callsTakeTime(const Plan& plan) {
  return communicates(plan) && llvm::all_of(plan.layout.dataRanks, [](const DataRanks& ranks) {
           return ranks.servers.empty();
         });
}

void holdUpNobody(Plan& plan) {
  for (Coupling& coupling : plan.cluster.coupling)
    coupling.factor = 1, coupling.bus.clear();
}

bool sharesLinks(const Plan& plan) {
  const LinkClass* port = plan.cluster.network.find(LinkKind::Port);
  const auto tapers = [](const LinkClass& link) { return link.taper > 1 || link.isDirect(); };
  return communicates(plan) && plan.cluster.nodes > 1 &&
         (llvm::any_of(plan.cluster.network.links, tapers) ||
          (port && port->count < plan.cluster.network.nodeDevices));
}

/// No taper, and a port for each device.
void freeLinks(Plan& plan) {
  Network& network = plan.cluster.network;
  const LinkClass* nominal = network.find(LinkKind::Port);
  const double more = nominal && nominal->count < network.nodeDevices
                          ? real(network.nodeDevices) / real(nominal->count)
                          : 1;
  for (LinkClass& link : network.links) {
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

/// The best of what two classes of nodes have, each field by itself. Rates are those at `speed`.
void takeBest(Device& best, const Device& of) {
  const double by = of.speed / best.speed;
  const auto most = [](auto& own, auto other) { own = std::max(own, other); };
  const auto least = [](auto& own, auto other) { own = std::min(own, other); };
  const auto rate = [&](std::uint64_t& own, std::uint64_t other) {
    most(own, static_cast<std::uint64_t>(real(other) * by + 0.5));
  };
  for (const auto& [type, peak] : of.peak)
    rate(best.peak[type], peak);
  rate(best.memoryBandwidth, of.memoryBandwidth);
  for (double Device::*share :
       {&Device::sustainedMatmul, &Device::sustainedAttention, &Device::sustainedMemory,
        &Device::sustainedNarrow, &Device::sustainedFp8Gradients})
    most(best.*share, of.*share);
  least(best.saturation, of.saturation), least(best.contention, of.contention);
  least(best.launch, of.launch), least(best.launchBlocks, of.launchBlocks);
  for (std::size_t i = 0; i < std::min(best.hostLink.size(), of.hostLink.size()); ++i)
    most(best.hostLink[i].bandwidth, of.hostLink[i].bandwidth),
        most(best.hostLink[i].memory, of.hostLink[i].memory);
}

/// In whichever order they are declared.
void asTheFastest(Plan& plan) {
  std::vector<NodeClass>& all = plan.cluster.classes;
  std::vector<LinkClass>& links = plan.cluster.network.links;
  Device best =
      std::max_element(all.begin(), all.end(), [](const NodeClass& a, const NodeClass& b) {
        return a.device.speed < b.device.speed;
      })->device;
  std::uint64_t ports = all.front().ports, latency = UINT64_MAX;
  const auto carries = [](const LinkClass& port) {
    return real(port.count) * real(port.bandwidth) * port.efficiency;
  };
  for (const NodeClass& nodes : all) {
    takeBest(best, nodes.device);
    latency = std::min(latency, links[nodes.ports].latency);
    if (carries(links[nodes.ports]) > carries(links[ports]))
      ports = nodes.ports;
  }
  links[ports].latency = latency;
  for (NodeClass& nodes : all) {
    // What fits stays, and so does what a device is.
    best.name = nodes.device.name, best.memory = nodes.device.memory;
    best.reserved = nodes.device.reserved, best.workspace = nodes.device.workspace;
    nodes.device = best, nodes.ports = ports;
  }
  plan.cluster.levels = linkLevels(plan.cluster);
}

bool hasUnevenExperts(const Plan& plan) {
  return llvm::any_of(plan.model.classes, [](const LayerClass& c) {
    return c.feedForward.imbalance > 1 || c.feedForward.popularity != PopularityKind::Even;
  });
}

bool always(const Plan&) { return true; }
bool hasPipeline(const Plan& plan) { return plan.placement.ranks > 1; }

constexpr std::uint64_t boundless = 1'000'000'000'000'000'000; // bits/s

const Cause all[] = {
    {"jitter",
     "jitter",
     "each device takes its mean time",
     Kind::Synchronisation,
     false,
     [](const Plan& p) { return p.cluster.jitter.varies(); },
     nullptr,
     [](Plan& p) { p.cluster.jitter = {}; },
     {},
     false,
     true},
    {"pass_jitter",
     "jitter of passes",
     "each pass of a layer takes its mean time",
     Kind::Synchronisation,
     false,
     simulation::PassDraws::has,
     nullptr,
     [](Plan& p) {
       for (LayerClass& c : p.model.classes)
         c.stated.jitter.clear();
     },
     {},
     false,
     true},
    {"slow_nodes",
     "slower nodes",
     "all nodes are as the fastest",
     Kind::Synchronisation,
     false,
     [](const Plan& p) { return p.cluster.classes.size() > 1; },
     asTheFastest,
     nullptr,
     {}},
    {"pacing",
     "delays of who is early",
     "nobody waits to let others pass",
     Kind::Synchronisation,
     false,
     [](const Plan& p) {
       return llvm::any_of(p.layout.dataRanks,
                           [](const DataRanks& r) { return r.pacing != PacingKind::None; });
     },
     nullptr,
     [](Plan& p) {
       for (DataRanks& ranks : p.layout.dataRanks)
         ranks.pacing = PacingKind::None, ranks.delay = 0;
     },
     {}},
    {"micro_batch_imbalance",
     "unequal micro-batches",
     "all micro-batches compute as much",
     Kind::Synchronisation,
     false,
     [](const Plan& p) { return !p.layout.microBatchCosts.empty(); },
     nullptr,
     [](Plan& p) { p.layout.microBatchCosts.clear(); },
     {},
     false,
     false,
     true},
    {"stage_imbalance",
     "unequal stages",
     "pipeline ranks compute as long as they do on average",
     Kind::Synchronisation,
     false,
     hasPipeline,
     nullptr,
     nullptr,
     {.imbalance = true}},
    {"expert_imbalance",
     "unequal experts",
     "all expert ranks have as many rows",
     Kind::Synchronisation,
     false,
     hasUnevenExperts,
     [](Plan& p) {
       for (LayerClass& c : p.model.classes)
         c.feedForward.imbalance = 1, c.feedForward.popularity = PopularityKind::Even;
     },
     nullptr,
     {}},
    {"bubble",
     "waits in the pipeline",
     "what a pass needs of its neighbours is there at once",
     Kind::Synchronisation,
     false,
     hasPipeline,
     nullptr,
     nullptr,
     {.bubble = true}},
    {"communication",
     "communication",
     "messages and collectives take no time",
     Kind::Communication,
     false,
     [](const Plan& p) { return communicates(p) || !p.cluster.coupling.empty(); },
     nullptr,
     [](Plan& p) {
       scaleCalls(p, [](const Collective&) { return 0.0; });
       p.cluster.delay.clear(), p.cluster.linkJitter.clear();
       holdUpNobody(p);
       for (DataRanks& ranks : p.layout.dataRanks)
         ranks.servers.clear();
     },
     {}},
    {"coupling",
     "what devices share",
     "devices that communicate hold up nobody",
     Kind::Communication,
     true,
     [](const Plan& p) { return !p.cluster.coupling.empty(); },
     nullptr,
     holdUpNobody,
     {},
     false,
     false,
     true},
    {"delay",
     "late messages",
     "no message is late",
     Kind::Communication,
     true,
     [](const Plan& p) { return communicates(p) && !p.cluster.delay.empty(); },
     nullptr,
     [](Plan& p) { p.cluster.delay.clear(); },
     {},
     false,
     true},
    {"link_jitter",
     "links that vary",
     "each link keeps its mean rate",
     Kind::Communication,
     true,
     simulation::LinkRates::has,
     nullptr,
     [](Plan& p) { p.cluster.linkJitter.clear(); },
     {},
     true,
     true},
    {"hashing",
     "flows hashed onto uplinks",
     "flows spread evenly over the links out of a leaf or pod",
     Kind::Communication,
     true,
     [](const Plan& p) { return communicates(p) && hashesFlows(p.cluster); },
     nullptr,
     [](Plan& p) {
       for (LinkClass& link : p.cluster.network.links)
         if ((link.kind == LinkKind::Leaf || link.kind == LinkKind::Pod) && !link.isDirect())
           link.count = 1;
     },
     {},
     true},
    {"contention",
     "sharing of links",
     "no taper, a port for each device, messages alone",
     Kind::Communication,
     true,
     sharesLinks,
     freeLinks,
     nullptr,
     {.sharing = true}},
    {"locality",
     "distance inside layers",
     "tensor, context and expert groups are in one unit of the fastest links",
     Kind::Communication,
     true,
     [](const Plan& p) {
       return llvm::any_of(p.collectives, [&](const Collective& c) { return isFar(p, c); });
     },
     nullptr,
     [](Plan& p) { scaleCalls(p, [&](const Collective& c) { return nearShare(p, c); }); },
     {}},
    {"latency",
     "latency",
     "messages take the time of their bytes",
     Kind::Communication,
     true,
     callsTakeTime,
     nullptr,
     [](Plan& p) { scaleCalls(p, [&](const Collective& c) { return 1 - latencyShare(p, c); }); },
     {}},
    {"bandwidth",
     "bytes on links",
     "messages take their latency",
     Kind::Communication,
     true,
     callsTakeTime,
     nullptr,
     [](Plan& p) { scaleCalls(p, [&](const Collective& c) { return latencyShare(p, c); }); },
     {}},
    {"memory_bandwidth",
     "device memory",
     "operators take the time of their FLOP",
     Kind::MemoryBandwidth,
     false,
     always,
     [](Plan& p) { eachDevice(p, [](Device& d) { d.memoryBandwidth = boundless; }); },
     nullptr,
     {}},
    {"launches",
     "launches",
     "the host launches kernels in no time",
     Kind::Compute,
     false,
     [](const Plan& p) {
       return llvm::any_of(p.cluster.classes,
                           [](const NodeClass& c) { return c.device.launch > 0; });
     },
     [](Plan& p) { eachDevice(p, [](Device& d) { d.launch = 0; }); },
     nullptr,
     {}},
    {"loading",
     "loading of samples",
     "samples are there when a step begins",
     Kind::Input,
     false,
     [](const Plan& p) { return !p.cluster.loading.empty(); },
     nullptr,
     [](Plan& p) { p.cluster.loading.clear(); },
     {}},
};
} // namespace

llvm::StringRef diagnosis::name(Kind kind) {
  static constexpr const char* names[] = {
      "compute", "memory bandwidth", "communication", "synchronisation", "input", "failure"};
  return names[static_cast<std::size_t>(kind)];
}

llvm::ArrayRef<Cause> diagnosis::causes() { return all; }

Plan diagnosis::restated(const Plan& plan) {
  Plan out = plan;
  out.assertions.clear(), out.runs.clear(), out.launches.clear(), out.spaces.clear();
  out.layout.scheduleAutomatic = out.layout.mesh.automatic = false;
  cost::listSplit(out.layout, plan);
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

simulation::Without diagnosis::stepsWithout(llvm::ArrayRef<const Cause*> removed) {
  simulation::Without out;
  for (const Cause* cause : removed) {
    out.bubble |= cause->without.bubble, out.sharing |= cause->without.sharing;
    out.imbalance |= cause->without.imbalance;
  }
  return out;
}
