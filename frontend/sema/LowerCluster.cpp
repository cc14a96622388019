//===- LowerCluster.cpp - Classes of nodes and the network from a cluster's fields ------------===//
#include "frontend/ast/Ast.h"
#include "frontend/sema/Lowering.h"
#include "frontend/sema/Object.h"
#include "ir/Names.h"
#include "support/diagnostics/Layout.h"
#include "support/diagnostics/Schema.h"
#include <cmath>

using namespace dpl;
using namespace dpl::sema;

namespace {

constexpr double mostPeak = 1e18; ///< FLOP a second of one device

/// The declaration a nested value was taken from (`gpu = devices.h100_sxm`); "gpu" if it has none.
std::string deviceName(const Fields& gpu) {
  std::string name = "gpu";
  if (!gpu.raw())
    return name; // not given, which was reported
  for (const Setting& setting : gpu.raw()->levels)
    if (setting.block && setting.level && setting.level->decl)
      if (const auto* decl = llvm::dyn_cast<ast::BlockDecl>(setting.level->decl))
        if (decl->blockKind.text == "device")
          name = decl->name.text.str();
  return name;
}

class ClusterLowering {
public:
  ClusterLowering(Lowering& to, const Fields& fields)
      : to(to), fields(fields), cluster(to.plan.cluster) {}

  LogicalResult run() {
    cluster.name = fields.name().str();
    to.locate("cluster.nodes", fields, "nodes");
    cluster.nodes = positive(fields, "nodes");
    const Fields node = fields.object("node");
    cluster.gpusPerNode = positive(node, "gpus");
    if (!failed())
      to.bounded(cluster.devices(), mostDevices, "nodes × gpus", fields.range("nodes"));
    if (failed())
      return LogicalResult::failure();
    if (node.has("cpus"))
      cluster.cpusPerNode = positive(node, "cpus");
    if (node.has("memory"))
      cluster.hostMemory = node.bytes("memory");
    classes(node);
    network();
    rest();
    if (!failed())
      cluster.levels = ir::linkLevels(cluster);
    return failed() ? LogicalResult::failure() : LogicalResult::success();
  }

private:
  bool failed() const { return to.failed || fields.failed(); }

  std::uint64_t positive(const Fields& from, const char* field) {
    const std::uint64_t n = to.bounded(from.count(field), mostDevices, field, from.range(field));
    notZero(n, from, field);
    return n;
  }
  void notZero(std::uint64_t n, const Fields& from, const char* field) {
    if (n != 0 || from.failed())
      return;
    to.failed = true;
    to.diags.report<diag::FieldIsZero>(from.range(field), field);
  }

  /// What a ratio can be for the formulas that multiply or divide by it.
  struct Ratio {
    bool (*holds)(double);
    const char* words;
  };
  static constexpr Ratio share{[](double r) { return r > 0 && r <= 1; }, "above 0 and at most 1"};
  static constexpr Ratio lost{[](double r) { return r >= 0 && r < 1; }, "at least 0 and below 1"};
  static constexpr Ratio noneOrShare{[](double r) { return r >= 0 && r <= 1; }, "from 0 to 1"};
  static constexpr Ratio tapered{[](double r) { return r >= 1; }, "at least 1"};
  static constexpr Ratio spread{[](double r) { return r >= 0 && r <= 10; }, "from 0 to 10"};
  static constexpr Ratio finiteMean{[](double r) { return r > 1; },
                                    "above 1, where the mean is finite"};

  double ratio(const Fields& from, const char* field, Ratio wanted) {
    const Number n = from.number(field);
    const double r = n.toDouble();
    if (wanted.holds(r) || from.failed())
      return r;
    to.failed = true;
    const SourceRange at = from.value(field).range;
    to.diags.report<diag::OutsideRange>(at.valid() ? at : from.range(field), field, wanted.words,
                                        n.str());
    return 1;
  }

  ir::Device device(const Fields& gpu) {
    ir::Device d;
    d.name = deviceName(gpu);
    d.memory = gpu.bytes("memory");
    notZero(d.memory, gpu, "memory");
    d.reserved = gpu.bytes("reserved");
    d.workspace = gpu.bytes("workspace");
    if (gpu.has("host")) {
      const Fields host = gpu.object("host");
      d.hostLink = {{host.bitsPerSecond("link"), host.bitsPerSecond("memory")}};
      notZero(d.hostLink.front().bandwidth, host, "link");
      notZero(d.hostLink.front().memory, host, "memory");
    }
    d.memoryBandwidth = gpu.bitsPerSecond("memory_bandwidth");
    notZero(d.memoryBandwidth, gpu, "memory_bandwidth");
    for (const Fields::Entry& entry : gpu.entries("peak")) {
      ir::DataType type{};
      if (!entry.value.is(Value::Kind::Number) || !ir::valueNamed(entry.key, type))
        continue; // reported where it was read
      const double peak = entry.value.number.toDouble();
      if ((peak < 1 || peak > mostPeak) && !failed()) {
        to.failed = true;
        const std::string what = fmt::format("peak[{}]", entry.key);
        if (peak < 1)
          to.diags.report<diag::FieldIsZero>(entry.value.range, what);
        else
          to.diags.report<diag::PlanTooLarge>(entry.value.range, what, "1EFLOPS")
              .label(fmt::format("found {}", entry.value.number.str()));
      }
      d.peak[type] = static_cast<std::uint64_t>(std::llround(std::min(peak, mostPeak)));
    }
    const Fields sustained = gpu.object("sustained");
    d.sustainedMatmul = ratio(sustained, "matmul", share);
    d.sustainedNarrow = ratio(sustained, "narrow", share);
    d.sustainedAttention = ratio(sustained, "attention", share);
    d.sustainedMemory = ratio(sustained, "memory", share);
    d.saturation = sustained.count("saturation");
    d.contention = ratio(sustained, "contention", lost);
    d.launch = gpu.picoseconds("launch");
    d.speed = ratio(gpu, "speed", share);
    if (gpu.has("power")) {
      const Fields power = gpu.object("power");
      d.busyPower = power.number("busy").toDouble();
      if (power.has("idle"))
        d.idlePower = power.number("idle").toDouble();
    }
    return d;
  }

  /// Dollars an hour of a device; what the cluster says of all where a part says nothing.
  double pricePerHour(const Fields& of) const {
    const Fields& from = of.has("price") ? of : fields;
    return from.has("price") ? from.number("price").toDouble() * 3600 : 0;
  }

  void classes(const Fields& node) {
    std::vector<ir::NodeClass> parts;
    std::uint64_t taken = 0;
    SourceRange last;
    for (const Fields::Entry& entry : fields.entries("part")) {
      ir::NodeClass part;
      part.name = entry.key;
      part.nodes = positive(entry.fields, "nodes");
      const Fields own = entry.fields.object("node");
      const std::uint64_t gpus = own.count("gpus");
      if (gpus != cluster.gpusPerNode && !failed()) {
        to.failed = true;
        to.diags.report<diag::OutsideRange>(
            own.range("gpus"), "gpus", fmt::format("{} in every node", cluster.gpusPerNode), gpus);
      }
      part.device = device(own.object("gpu"));
      part.pricePerHour = pricePerHour(entry.fields);
      taken += part.nodes;
      last = entry.fields.range("nodes");
      parts.push_back(std::move(part));
    }
    if (taken > cluster.nodes && !failed()) {
      to.failed = true;
      to.diags.report<diag::PartNodes>(last, taken, cluster.name, cluster.nodes);
    }
    if (taken < cluster.nodes) {
      ir::NodeClass nominal;
      nominal.nodes = cluster.nodes - taken;
      nominal.device = device(node.object("gpu"));
      nominal.pricePerHour = pricePerHour(fields);
      cluster.classes.push_back(std::move(nominal));
    }
    cluster.classes.insert(cluster.classes.end(), parts.begin(), parts.end());
  }

  /// A unit of `name` holds whole units of the kind below.
  bool nests(const char* name, const Fields& unit, std::uint64_t nodes) {
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

  /// Links whose bandwidth, latency and efficiency the file gives.
  void link(ir::LinkKind kind, const Fields& from) {
    ir::LinkClass l;
    l.kind = kind;
    l.bandwidth = from.bitsPerSecond("bandwidth");
    l.latency = from.picoseconds("latency");
    l.efficiency = ratio(from, "efficiency", share);
    cluster.network.links.push_back(l);
  }
  void taper(ir::LinkKind kind, const Fields& from) {
    ir::LinkClass l;
    l.kind = kind;
    l.taper = ratio(from, "oversubscription", tapered);
    cluster.network.links.push_back(l);
  }

  void peerLinks(const Fields& domain, ir::LinkClass& link) {
    link.peerLinks = positive(domain, "peer_links");
    if (failed() || link.inSwitch == 0)
      return;
    to.failed = true;
    to.diags
        .report<diag::OutsideRange>(domain.range("peer_links"), "in_switch",
                                    "0 where `peer_links` says that there is no switch",
                                    link.inSwitch)
        .help("set `in_switch = 0`");
  }

  void network() {
    const Fields domain = fields.object("domain"), network = fields.object("network");
    const std::uint64_t domainNodes = positive(domain, "nodes");
    notZero(domain.bitsPerSecond("bandwidth"), domain, "bandwidth");
    notZero(network.bitsPerSecond("bandwidth"), network, "bandwidth");
    checkPorts(network);
    cluster.network.nodeDevices = cluster.gpusPerNode;
    unit(domainNodes == 1 ? ir::Level::Node : ir::Level::Domain, domainNodes);
    link(ir::LinkKind::ScaleUp, domain);
    cluster.network.links.back().inSwitch = ratio(domain, "in_switch", noneOrShare);
    if (domain.has("peer_links"))
      peerLinks(domain, cluster.network.links.back());
    library();
    ports();
    if (fields.has("affinity"))
      affinity(fields.object("affinity"));
    link(ir::LinkKind::Network, network);
    for (const auto& [name, level, kind] : {std::tuple("leaf", ir::Level::Leaf, ir::LinkKind::Leaf),
                                            std::tuple("pod", ir::Level::Pod, ir::LinkKind::Pod)}) {
      if (!fields.has(name))
        continue;
      const Fields tier = fields.object(name);
      const std::uint64_t nodes = positive(tier, "nodes");
      if (failed() || !nests(name, tier, nodes))
        return;
      unit(level, nodes);
      taper(kind, tier);
    }
    taper(ir::LinkKind::Spine, fields.object("spine"));
    if (fields.has("site"))
      site(fields.object("site"));
  }

  /// Ports of devices that do not take them in order.
  void affinity(const Fields& from) {
    ir::Affinity out{from.counts("ports")};
    const auto refused = [&](std::string needed, std::uint64_t found) {
      if (!failed())
        to.diags.report<diag::OutsideRange>(from.range("ports"), "ports", needed, found);
      to.failed = true;
    };
    std::uint64_t ports = cluster.gpusPerNode;
    for (const ir::LinkClass& link : cluster.network.links)
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
    ir::LinkClass host;
    host.kind = ir::LinkKind::Host;
    host.bandwidth = from.bitsPerSecond("bandwidth");
    cluster.network.links.push_back(host);
  }

  void library() {
    const bool nccl = fields.choice("collectives") == "nccl";
    cluster.network.library =
        nccl ? ir::CollectiveLibrary::Nccl : ir::CollectiveLibrary::ClosedForm;
    const Fields chosen = fields.object("collectives");
    if (nccl) {
      cluster.network.call = chosen.picoseconds("call");
      cluster.network.inStep = ratio(chosen, "in_step", share);
      if (chosen.choice("rings") == "scattered")
        cluster.network.algorithm = ir::AlgorithmChoice::ScatteredRing;
    } else {
      cluster.network.algorithm = choice(chosen, "algorithm", ir::AlgorithmChoice::Fastest);
    }
  }

  void site(const Fields& site) {
    const std::uint64_t nodes = positive(site, "nodes");
    if (failed() || !nests("site", site, nodes))
      return;
    unit(ir::Level::Site, nodes);
    if (nodes >= cluster.nodes)
      return; // no link leads out of it
    notZero(site.bitsPerSecond("bandwidth"), site, "bandwidth");
    link(ir::LinkKind::Site, site);
  }

  /// A node has a whole number of ports, but where nothing is outside its domain: half a server is
  /// written as a node of fewer gpus.
  std::uint64_t portsOfNode(const Fields& nic) {
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

  ir::LinkClass portsOf(const Fields& nic) {
    ir::LinkClass l;
    l.kind = ir::LinkKind::Port;
    l.count = portsOfNode(nic);
    l.bandwidth = nic.bitsPerSecond("bandwidth");
    notZero(l.bandwidth, nic, "bandwidth");
    l.latency = nic.picoseconds("latency");
    return l;
  }

  /// One class of ports, and one for each part that states others.
  void ports() {
    std::vector<ir::LinkClass>& links = cluster.network.links;
    const ir::LinkClass nominal = portsOf(fields.object("nic"));
    for (ir::NodeClass& nodes : cluster.classes)
      nodes.ports = links.size();
    links.push_back(nominal);
    for (const Fields::Entry& entry : fields.entries("part")) {
      ir::LinkClass own = portsOf(entry.fields.object("nic"));
      if (own.count == nominal.count && own.bandwidth == nominal.bandwidth &&
          own.latency == nominal.latency)
        continue;
      own.part = entry.key;
      for (ir::NodeClass& nodes : cluster.classes)
        if (nodes.name == entry.key)
          nodes.ports = links.size();
      links.push_back(std::move(own));
    }
  }

  /// What a device sends through the network goes through its ports: less than they carry is a
  /// network that does not keep up with them, more is a contradiction.
  void checkPorts(const Fields& network) {
    const Fields nic = fields.object("nic");
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

  void jitter() {
    ir::Jitter& jitter = cluster.jitter;
    jitter.kind = choice(fields, "jitter", ir::JitterKind::None);
    if (jitter.kind == ir::JitterKind::None)
      return;
    const Fields from = fields.object("jitter");
    if (jitter.kind == ir::JitterKind::Measured)
      return measured(from);
    jitter.spread = jitter.kind == ir::JitterKind::Pareto        ? ratio(from, "shape", finiteMean)
                    : jitter.kind == ir::JitterKind::Exponential ? ratio(from, "cv", noneOrShare)
                                                                 : ratio(from, "cv", spread);
    if (jitter.kind == ir::JitterKind::LogNormal) {
      jitter.node = ratio(from, "node", noneOrShare);
      lasts(from);
    }
    if (jitter.kind == ir::JitterKind::Rare) {
      jitter.share = ratio(from, "share", noneOrShare);
      jitter.slowdown = ratio(from, "slowdown", tapered);
    }
  }
  void lasts(const Fields& from) {
    cluster.jitter.lasts =
        to.bounded(from.whole("lasts"), mostDevices, "lasts", from.range("lasts"));
    notZero(cluster.jitter.lasts, from, "lasts");
  }
  /// Times over their mean, in rising order.
  void measured(const Fields& from) {
    const Value written = from.value("times");
    if (!written.is(Value::Kind::List))
      return;
    lasts(from);
    std::vector<double>& times = cluster.jitter.times;
    double sum = 0;
    const auto refused = [&](SourceRange at, const std::string& found) {
      to.failed = true;
      (void)to.diags.report<diag::MeasuredTime>(at.valid() ? at : from.range("times"), found);
    };
    if (written.list.empty())
      return refused(written.range, "none");
    for (const Value& v : written.list) {
      times.push_back(v.number.toDouble());
      sum += times.back();
      if (times.back() <= 0)
        return refused(v.range, v.number.str());
    }
    for (double& time : times)
      time *= static_cast<double>(times.size()) / sum;
    llvm::sort(times);
    double square = 0;
    for (const double time : times)
      square += (time - 1) * (time - 1) / static_cast<double>(times.size());
    cluster.jitter.spread = std::sqrt(square);
  }

  void failures() {
    to.locate("cluster.failures", fields, "failures");
    const Fields from = fields.object("failures");
    cluster.failures = {true, from.real("gpu"), from.real("nic"), from.real("node"),
                        from.picoseconds("restart")};
    ir::OtherFailures other;
    other.link = from.real("link"), other.leaf = from.real("leaf");
    other.storage = from.real("storage");
    other.detection = from.picoseconds("detection");
    if (from.has("repair")) {
      other.repair = from.picoseconds("repair");
      notZero(other.repair, from, "repair");
    }
    if (from.has("slow")) {
      const Fields slow = from.object("slow");
      other.slow = slow.real("rate"), other.slowdown = slow.real("slowdown");
      other.slowDetection = slow.picoseconds("detection");
    }
    if (other.link + other.leaf + other.storage + other.slow > 0 ||
        other.detection + other.repair > 0)
      cluster.otherFailures = {other};
  }

  static constexpr std::uint64_t mostFlows = 1000;
  ir::SharedBus bus(const Fields& from) {
    const auto bytes = [&](const char* field) {
      const std::uint64_t bits = from.bitsPerSecond(field);
      notZero(bits, from, field);
      return static_cast<double>(bits) / 8;
    };
    return {bytes("bandwidth"), bytes("computing"),
            static_cast<double>(
                to.bounded(from.count("flows"), mostFlows, "flows", from.range("flows")))};
  }

  void rest() {
    jitter();
    if (fields.has("coupling")) {
      to.locate("cluster.coupling", fields, "coupling");
      const Fields from = fields.object("coupling");
      cluster.coupling = {{1, choice(from, "among", ir::Level::Node), {}}};
      ir::Coupling& coupling = cluster.coupling.front();
      if (from.has("factor"))
        coupling.factor = ratio(from, "factor", tapered);
      if (from.has("bus"))
        coupling.bus = {bus(from.object("bus"))};
    }
    if (fields.has("failures"))
      failures();
    if (fields.has("storage")) {
      to.locate("cluster.storage", fields, "storage");
      const Fields storage = fields.object("storage");
      cluster.storageWrite = storage.bitsPerSecond("write");
      cluster.storageRead = storage.bitsPerSecond("read");
      notZero(cluster.storageWrite, storage, "write");
      if (storage.isSet("read"))
        notZero(cluster.storageRead, storage, "read");
    }
    if (fields.has("energy"))
      cluster.energyPrice = fields.number("energy").toDouble();
  }

  Lowering& to;
  const Fields& fields;
  ir::Cluster& cluster;
};

} // namespace

LogicalResult sema::lowerCluster(Lowering& to, const Fields& cluster) {
  return ClusterLowering(to, cluster).run();
}
