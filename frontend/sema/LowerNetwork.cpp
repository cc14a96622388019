//===- LowerNetwork.cpp - Lowers units and links of a cluster's network -----------------------===//
#include "frontend/sema/ClusterFields.h"
#include "support/diagnostics/Layout.h"
#include "support/diagnostics/Schema.h"

using namespace dpl;
using namespace dpl::sema;

namespace {

class NetworkLowering : ClusterFields {
public:
  using ClusterFields::ClusterFields;

  void run() {
    ratio(fields.object("nic"), "count", portsOfDevice);
    for (const ObjectFields::FieldsEntry& entry : fields.entries("node_pool"))
      if (!failed())
        ratio(entry.fields.object("nic"), "count", portsOfDevice);
    if (failed())
      return;
    const ObjectFields domain = fields.object("domain"), network = fields.object("network");
    const std::uint64_t domainNodes = positive(domain, "nodes");
    notZero(domain.bitsPerSecond("bandwidth"), domain, "bandwidth");
    // If ports have no bandwidth, the network has none either, and only the ports are reported.
    if (fields.object("nic").bitsPerSecond("bandwidth") > 0)
      notZero(network.bitsPerSecond("bandwidth"), network, "bandwidth");
    checkPorts(network);
    cluster.network.nodeDevices = cluster.gpusPerNode;
    unit(domainNodes == 1 ? ir::Level::Node : ir::Level::Domain, domainNodes);
    link(ir::LinkKind::ScaleUp, domain);
    cluster.network.links.back().inSwitch = ratio(domain, "sharp_efficiency", noneOrShare);
    if (domain.has("peer_links"))
      peerLinks(domain, cluster.network.links.back());
    if (domain.has("torus") && !failed())
      lowerTorus(to, fields);
    library();
    ports();
    if (fields.has("nic_affinity"))
      affinity(fields.object("nic_affinity"));
    link(ir::LinkKind::Network, network);
    cluster.network.links.back().inSwitch = ratio(network, "sharp_efficiency", noneOrShare);
    for (const auto& [name, level, kind] : {std::tuple("leaf", ir::Level::Leaf, ir::LinkKind::Leaf),
                                            std::tuple("pod", ir::Level::Pod, ir::LinkKind::Pod)}) {
      if (!fields.has(name))
        continue;
      const ObjectFields tier = fields.object(name);
      const std::uint64_t nodes = positive(tier, "nodes");
      if (failed() || !nests(name, tier, nodes))
        return;
      unit(level, nodes);
      taper(kind, tier);
      cluster.network.links.back().count =
          to.bounded(positive(tier, "uplinks"), mostDevices, "uplinks", tier.range("uplinks"));
      to.locate(fmt::format("cluster.{}.uplinks", name), tier, "uplinks");
    }
    taper(ir::LinkKind::Spine, fields.object("spine"));
    if (fields.has("site"))
      site(fields.object("site"));
    if (!failed())
      lowerDirectLinks(to, fields);
  }

private:
  /// Limit on ports per device. Servers have up to four.
  static constexpr Ratio portsOfDevice{[](double r) { return r > 0 && r <= 1024; },
                                       "above 0 and at most 1024 per gpu"};

  /// Checks that a unit of this level consists of whole units of the level below.
  bool nests(const char* name, const ObjectFields& unit, std::uint64_t nodes) {
    const ir::UnitKind& inner = cluster.network.units.back();
    if (nodes % inner.nodes == 0)
      return true;
    if (!failed())
      to.diags
          .report<diag::LevelDoesNotNest>(unit.range("nodes"), name, nodes, ir::name(inner.level),
                                          inner.nodes)
          .label(fmt::format("needed a multiple of {}", inner.nodes));
    to.failed = true;
    return false;
  }

  void unit(ir::Level level, std::uint64_t nodes) {
    cluster.network.units.push_back({level, nodes});
  }

  /// Adds links with the bandwidth, latency and efficiency that the file sets.
  void link(ir::LinkKind kind, const ObjectFields& from) {
    ir::LinkType l;
    l.kind = kind;
    l.bandwidth = from.bitsPerSecond("bandwidth");
    l.latency = from.picoseconds("latency");
    l.efficiency = ratio(from, "efficiency", share);
    cluster.network.links.push_back(l);
  }
  void taper(ir::LinkKind kind, const ObjectFields& from) {
    ir::LinkType l;
    l.kind = kind;
    l.taper = ratio(from, "oversubscription", tapered);
    cluster.network.links.push_back(l);
  }

  void peerLinks(const ObjectFields& domain, ir::LinkType& link) {
    link.peerLinks = positive(domain, "peer_links");
    if (failed() || link.inSwitch == 0)
      return;
    to.failed = true;
    to.diags
        .report<diag::OutsideRange>(domain.range("peer_links"), "sharp_efficiency",
                                    "0 with `peer_links`, which means that there is no switch",
                                    link.inSwitch)
        .help("set `sharp_efficiency = 0`");
  }

  /// Reads the ports that devices use, if these are not in order.
  void affinity(const ObjectFields& from) {
    ir::Affinity out{from.counts("ports")};
    const auto refused = [&](std::string needed, std::uint64_t found) {
      if (!failed())
        to.diags.report<diag::OutsideRange>(from.range("ports"), "ports", needed, found);
      to.failed = true;
    };
    std::uint64_t ports = cluster.gpusPerNode;
    for (const ir::LinkType& link : cluster.network.links)
      if (link.kind == ir::LinkKind::Port)
        ports = std::min(ports, link.count);
    if (out.ports.size() != cluster.gpusPerNode)
      return refused(fmt::format("one for each of {} devices of a node", cluster.gpusPerNode),
                     out.ports.size());
    for (const std::uint64_t port : out.ports)
      if (port >= ports)
        return refused(fmt::format("below {}, the ports of a node", ports), port);
    notZero(from.bitsPerSecond("bandwidth"), from, "bandwidth");
    cluster.network.affinity = {std::move(out)};
    ir::LinkType host;
    host.kind = ir::LinkKind::Host;
    host.bandwidth = from.bitsPerSecond("bandwidth");
    cluster.network.links.push_back(host);
  }

  void library() {
    const bool nccl = fields.choice("collectives") == "nccl";
    cluster.network.library =
        nccl ? ir::CollectiveLibrary::Nccl : ir::CollectiveLibrary::ClosedForm;
    const ObjectFields chosen = fields.object("collectives");
    if (nccl) {
      cluster.network.collectiveOverhead = chosen.picoseconds("overhead");
      cluster.network.inStep = ratio(chosen, "in_step_efficiency", share);
      cluster.network.pat = chosen.flag("pat");
      const llvm::StringRef rings = chosen.choice("ring_order");
      if (rings != "contiguous")
        cluster.network.algorithm = rings == "custom" ? ir::AlgorithmChoice::ListedRing
                                                      : ir::AlgorithmChoice::ScatteredRing;
    } else {
      cluster.network.algorithm = choice(chosen, "algorithm", ir::AlgorithmChoice::Fastest);
    }
    if (cluster.network.algorithm == ir::AlgorithmChoice::ListedRing && !failed())
      lowerRingOrder(to, chosen.object(nccl ? "ring_order" : "algorithm"));
  }

  void site(const ObjectFields& site) {
    const std::uint64_t nodes = positive(site, "nodes");
    if (failed() || !nests("site", site, nodes))
      return;
    unit(ir::Level::Site, nodes);
    if (nodes >= cluster.nodes)
      return; // no link leads out of this unit
    notZero(site.bitsPerSecond("bandwidth"), site, "bandwidth");
    link(ir::LinkKind::Site, site);
  }

  /// The number of ports of a node. It must be whole, unless all nodes are in one domain. Half a
  /// server is written as a node with fewer GPUs.
  std::uint64_t portsOfNode(const ObjectFields& nic) {
    const auto gpus = static_cast<std::int64_t>(cluster.gpusPerNode);
    const auto ports = Rational::multiply(nic.number("count").value, gpus);
    const std::optional<std::int64_t> whole = ports ? ports->asInteger() : std::nullopt;
    if (whole && *whole >= 1)
      return static_cast<std::uint64_t>(*whole);
    if (ports && !ports->isNegative() && cluster.network.units.front().nodes >= cluster.nodes)
      return static_cast<std::uint64_t>(ports->toDouble()) + 1;
    if (!failed())
      to.diags
          .report<diag::OutsideRange>(nic.range("count"), "count",
                                      "such that a node has a whole number of ports",
                                      nic.number("count").value.str())
          .label(fmt::format("{} × {} gpus = {} ports", nic.number("count").value.str(), gpus,
                             ports ? ports->str() : "too many"));
    to.failed = true;
    return 1;
  }

  ir::LinkType portsOf(const ObjectFields& nic) {
    ir::LinkType l;
    l.kind = ir::LinkKind::Port;
    l.count = portsOfNode(nic);
    l.bandwidth = nic.bitsPerSecond("bandwidth");
    notZero(l.bandwidth, nic, "bandwidth");
    l.latency = nic.picoseconds("latency");
    return l;
  }

  /// Adds a type of port, and a further one for each pool with other ports.
  void ports() {
    std::vector<ir::LinkType>& links = cluster.network.links;
    const ir::LinkType nominal = portsOf(fields.object("nic"));
    for (const char* field : {"count", "bandwidth", "latency"})
      if (isStated(fields.object("nic"), field))
        to.locate("cluster.nic", fields, "nic");
    for (ir::NodeType& nodes : cluster.nodeTypes)
      nodes.ports = links.size();
    links.push_back(nominal);
    for (const ObjectFields::FieldsEntry& entry : fields.entries("node_pool")) {
      ir::LinkType own = portsOf(entry.fields.object("nic"));
      if (own.count == nominal.count && own.bandwidth == nominal.bandwidth &&
          own.latency == nominal.latency)
        continue;
      own.pool = entry.key;
      for (ir::NodeType& nodes : cluster.nodeTypes)
        if (nodes.name == entry.key)
          nodes.ports = links.size();
      links.push_back(std::move(own));
    }
  }

  /// Checks that the network bandwidth of a device is not above that of its ports. It may be below.
  void checkPorts(const ObjectFields& network) {
    const ObjectFields nic = fields.object("nic");
    const auto bits = static_cast<double>(nic.bitsPerSecond("bandwidth")),
               sent = static_cast<double>(network.bitsPerSecond("bandwidth"));
    const double count = nic.real("count");
    if (failed() || sent <= count * bits * (1 + 1e-9))
      return;
    to.failed = true;
    const auto text = [](double b) { return fmt::format("{:.6g}Gbps", b / 1e9); };
    to.diags
        .report<diag::NetworkExceedsPorts>(network.range("bandwidth"), text(sent),
                                           text(count * bits))
        .label(
            fmt::format("{:g} per gpu × {} per nic = {}", count, text(bits), text(count * bits)));
  }
};

} // namespace

void sema::lowerNetwork(Lowering& to, const ObjectFields& cluster) {
  NetworkLowering(to, cluster).run();
}
