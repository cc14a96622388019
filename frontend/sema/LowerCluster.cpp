//===- LowerCluster.cpp - Classes of nodes and link levels from a cluster's fields ------------===//
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
    levels();
    rest();
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
  static constexpr Ratio tapered{[](double r) { return r >= 1; }, "at least 1"};
  static constexpr Ratio spread{[](double r) { return r >= 0; }, "not negative"};

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
      taken += part.nodes;
      last = entry.fields.range("nodes");
      parts.push_back(std::move(part));
    }
    if (taken > cluster.nodes && !failed()) {
      to.failed = true;
      to.diags.report<diag::PartNodes>(last, taken, cluster.name, cluster.nodes);
    }
    if (taken < cluster.nodes)
      cluster.classes.push_back({"", cluster.nodes - taken, device(node.object("gpu"))});
    cluster.classes.insert(cluster.classes.end(), parts.begin(), parts.end());
  }

  /// One link level, unless a unit of it is no larger than one of the level below.
  void level(ir::Level name, std::uint64_t nodes, const Fields& link, std::uint64_t bandwidth,
             double taper) {
    ir::LinkLevel l;
    l.level = name;
    l.devices = nodes * cluster.gpusPerNode;
    l.bandwidth = bandwidth;
    l.latency = link.picoseconds("latency");
    l.efficiency = ratio(link, "efficiency", share);
    l.oversubscription = taper;
    cluster.levels.push_back(l);
  }

  /// A unit of `name` holds whole units of the level below.
  bool nests(const char* name, const Fields& unit, std::uint64_t nodes) {
    if (nodes % inner.nodes == 0)
      return true;
    if (!failed())
      to.diags
          .report<diag::LevelDoesNotNest>(unit.range("nodes"), name, nodes, inner.name, inner.nodes)
          .label(fmt::format("needed a multiple of {}", inner.nodes));
    to.failed = true;
    return false;
  }

  void levels() {
    const Fields domain = fields.object("domain"), network = fields.object("network");
    const std::uint64_t domainNodes = positive(domain, "nodes");
    const std::uint64_t fast = domain.bitsPerSecond("bandwidth"),
                        slow = network.bitsPerSecond("bandwidth");
    notZero(fast, domain, "bandwidth");
    notZero(slow, network, "bandwidth");
    ports(network, slow);
    level(domainNodes == 1 ? ir::Level::Node : ir::Level::Domain, domainNodes, domain, fast, 1);
    inner = {domainNodes == 1 ? "node" : "domain", domainNodes};

    // Traffic that leaves a unit meets the taper at its top, and those of the units within.
    double taper = 1;
    for (const auto& [name, which] :
         {std::pair("leaf", ir::Level::Leaf), std::pair("pod", ir::Level::Pod)}) {
      if (!fields.has(name))
        continue;
      const Fields tier = fields.object(name);
      const std::uint64_t nodes = positive(tier, "nodes");
      if (failed() || !nests(name, tier, nodes))
        return;
      if (nodes > inner.nodes && inner.nodes < cluster.nodes)
        level(which, nodes, network, slow, taper);
      inner = {name, nodes};
      taper *= ratio(tier, "oversubscription", tapered);
    }
    taper *= ratio(fields.object("spine"), "oversubscription", tapered);

    if (fields.has("site")) {
      const Fields site = fields.object("site");
      const std::uint64_t nodes = positive(site, "nodes");
      if (failed() || !nests("site", site, nodes))
        return;
      if (nodes > inner.nodes && inner.nodes < cluster.nodes)
        level(ir::Level::Site, nodes, network, slow, taper);
      inner = {"site", nodes};
      if (nodes < cluster.nodes) {
        // All devices of a site send at once: each has its share of the links out of it.
        const std::uint64_t devices = nodes * cluster.gpusPerNode,
                            out = site.bitsPerSecond("bandwidth");
        level(ir::Level::Cluster, cluster.nodes, site, std::max<std::uint64_t>(out / devices, 1),
              1);
      }
      return;
    }
    if (inner.nodes < cluster.nodes)
      level(ir::Level::Cluster, cluster.nodes, network, slow, taper);
  }

  /// What a device sends through the network goes through its ports: less than they carry is a
  /// network that does not keep up with them, more is a contradiction.
  void ports(const Fields& network, std::uint64_t bandwidth) {
    const Fields nic = fields.object("nic");
    const auto bits = static_cast<double>(nic.bitsPerSecond("bandwidth"));
    const double count = nic.real("count"), sent = static_cast<double>(bandwidth);
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

  void rest() {
    const Fields nic = fields.object("nic");
    cluster.nicsPerNode = static_cast<std::uint64_t>(
        std::llround(nic.real("count") * static_cast<double>(cluster.gpusPerNode)));
    cluster.nicBandwidth = nic.bitsPerSecond("bandwidth");
    if (fields.choice("jitter") == "lognormal")
      cluster.jitterCv = ratio(fields.object("jitter"), "cv", spread);
    if (fields.has("price"))
      cluster.pricePerGpuHour = fields.number("price").toDouble() * 3600;
    if (fields.has("energy"))
      cluster.energyPrice = fields.number("energy").toDouble();
  }

  struct Inner {
    const char* name = "node";
    std::uint64_t nodes = 1;
  };
  Lowering& to;
  const Fields& fields;
  ir::Cluster& cluster;
  Inner inner; ///< the unit that the next level is made of
};

} // namespace

LogicalResult sema::lowerCluster(Lowering& to, const Fields& cluster) {
  return ClusterLowering(to, cluster).run();
}
