//===- LowerDevices.cpp - Lowers node types and devices of a cluster --------------------------===//
#include "frontend/ast/Ast.h"
#include "frontend/sema/ClusterFields.h"
#include "frontend/sema/Object.h"
#include "support/Utf8.h"
#include "support/diagnostics/Layout.h"
#include "support/diagnostics/Schema.h"
#include <cmath>

using namespace dpl;
using namespace dpl::sema;

namespace {

constexpr double mostPeak = 1e18; ///< limit on the FLOP/s of a device

/// The name of the declaration of a nested device (`gpu = devices.h100_sxm`); "gpu" if it has none.
std::string deviceName(const ObjectFields& gpu) {
  std::string name = "gpu";
  if (!gpu.raw())
    return name; // a missing device was reported
  for (const Setting& setting : gpu.raw()->levels)
    if (setting.block && setting.level && setting.level->decl)
      if (const auto* decl = llvm::dyn_cast<ast::BlockDecl>(setting.level->decl))
        if (decl->blockKind.text == "device")
          name = decl->name.text.str();
  return name;
}

class DevicesLowering : ClusterFields {
public:
  using ClusterFields::ClusterFields;

  void run() {
    std::vector<ir::NodeType> parts;
    std::uint64_t taken = 0;
    SourceRange last;
    for (const ObjectFields::FieldsEntry& entry : fields.entries("node_pool")) {
      ir::NodeType part;
      part.name = entry.key;
      checkName(entry);
      part.nodes = positive(entry.fields, "nodes");
      const ObjectFields own = entry.fields.object("node");
      const std::uint64_t gpus = own.count("gpus");
      if (gpus != cluster.gpusPerNode && !failed()) {
        to.failed = true;
        // The error is placed in this file if another file declares the node, because that file is
        // not wrong.
        const SourceRange said = own.range("gpus"), here = entry.fields.range("node");
        to.diags.report<diag::OutsideRange>(said.file == entry.range.file ? said : here, "gpus",
                                            fmt::format("{} in every node", cluster.gpusPerNode),
                                            gpus);
      }
      part.device = device(own.object("gpu"));
      locateEfficiencies(fmt::format("cluster.node_pool[\"{}\"].node.gpu", part.name),
                         own.object("gpu"));
      part.pricePerHour = pricePerHour(entry.fields);
      resources(own, part);
      to.locate(fmt::format("cluster.node_pool[\"{}\"].price", part.name), entry.fields, "price");
      taken += part.nodes;
      last = entry.fields.range("nodes");
      parts.push_back(std::move(part));
    }
    if (taken > cluster.nodes && !failed()) {
      to.failed = true;
      to.diags.report<diag::PartNodes>(last, taken, cluster.name, cluster.nodes);
    }
    if (taken < cluster.nodes) {
      ir::NodeType nominal;
      nominal.nodes = cluster.nodes - taken;
      nominal.device = device(fields.object("node").object("gpu"));
      locateEfficiencies("cluster.node.gpu", fields.object("node").object("gpu"));
      nominal.pricePerHour = pricePerHour(fields);
      cluster.nodeTypes.push_back(std::move(nominal));
    }
    cluster.nodeTypes.insert(cluster.nodeTypes.end(), parts.begin(), parts.end());
  }

private:
  /// Refuses a pool named "nominal", which is the name of nodes without a pool.
  void checkName(const ObjectFields::FieldsEntry& part) {
    const std::string name = oneLine(part.key);
    if (failed() || (!name.empty() && name == part.key && name != "nominal"))
      return;
    to.failed = true;
    to.diags.report<diag::OutsideRange>(part.range, "node_pool",
                                        "indexed by a name in one line that is not `nominal`",
                                        '"' + name + '"');
  }

  ir::Device device(const ObjectFields& gpu) {
    ir::Device d;
    d.name = deviceName(gpu);
    d.memory = gpu.bytes("memory");
    notZero(d.memory, gpu, "memory");
    d.reserved = gpu.bytes("non_tensor_memory");
    d.context = gpu.bytes("cuda_context");
    d.workspace = gpu.bytes("workspace");
    if (gpu.has("host")) {
      const ObjectFields host = gpu.object("host");
      d.hostLink = {{host.bitsPerSecond("link_bandwidth"), host.bitsPerSecond("memory_bandwidth")}};
      notZero(d.hostLink.front().bandwidth, host, "link_bandwidth");
      notZero(d.hostLink.front().memory, host, "memory_bandwidth");
    }
    d.memoryBandwidth = gpu.bitsPerSecond("memory_bandwidth");
    notZero(d.memoryBandwidth, gpu, "memory_bandwidth");
    for (const ObjectFields::FieldsEntry& entry : gpu.entries("peak")) {
      ir::DataType type{};
      if (!entry.value.is(Value::ValueKind::Number) || !ir::valueNamed(entry.key, type))
        continue; // an error was reported when the field was read
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
    const ObjectFields sustained = gpu.object("sustained");
    d.sustainedMatmul = ratio(sustained, "matmul", share);
    d.sustainedLowPrecision = ratio(sustained, "low_precision", share);
    d.sustainedFp8Gradients = ratio(sustained, "fp8_gradients", share);
    d.sustainedAttention = ratio(sustained, "attention", share);
    d.sustainedMemory = ratio(sustained, "memory", share);
    d.efficiencyHalfSize =
        to.bounded(sustained.count("efficiency_half_size"), mostElements, "efficiency_half_size",
                   sustained.range("efficiency_half_size"));
    d.contention = ratio(sustained, "contention", lost);
    d.launch = gpu.picoseconds("launch_overhead");
    d.speed = ratio(gpu, "speed", share);
    if (gpu.has("compute_capability"))
      d.computeCapability = ratio(gpu, "compute_capability", capability);
    if (gpu.has("power")) {
      const ObjectFields power = gpu.object("power");
      d.busyPower = power.number("busy").toDouble();
      if (power.has("idle"))
        d.idlePower = power.number("idle").toDouble();
    }
    return d;
  }

  /// Records where the efficiencies of a device come from, unless they are of single kernels.
  void locateEfficiencies(const std::string& device, const ObjectFields& gpu) {
    const ObjectFields sustained = gpu.object("sustained");
    const char* const source = sustained.has("fitted") ? "fitted" : "matmul";
    if (source == llvm::StringRef("fitted") || isStated(sustained, source))
      to.plan.layout.ranges[device + ".sustained"] = sustained.range(source);
  }

  /// Reads host memory and hardware threads of a pool's node, if they differ from those of others.
  void resources(const ObjectFields& node, ir::NodeType& part) {
    const bool hasMemory = node.has("memory"), hasCpus = node.has("cpus");
    const std::uint64_t bytes = hasMemory ? node.bytes("memory") : 0,
                        cpus = hasCpus ? positive(node, "cpus") : 0;
    if (hasMemory)
      notZero(bytes, node, "memory");
    if (cpus != cluster.cpusPerNode)
      part.cpus = cpus;
    if (bytes != cluster.hostMemory)
      part.hostMemory = bytes;
  }

  /// The price of a device in dollars per hour: that of the pool, or that of the cluster if the
  /// pool has none.
  std::optional<double> pricePerHour(const ObjectFields& of) const {
    const ObjectFields& from = of.has("price") ? of : fields;
    return from.has("price") ? std::optional(from.number("price").toDouble() * 3600) : std::nullopt;
  }
};

} // namespace

void sema::lowerDevices(Lowering& to, const ObjectFields& cluster) {
  DevicesLowering(to, cluster).run();
}
