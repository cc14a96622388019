//===- LowerCluster.cpp - A cluster's nodes, and what varies, fails and stores in it ----------===//
#include "frontend/sema/ClusterFields.h"
#include "support/diagnostics/Layout.h"
#include <cmath>

using namespace dpl;
using namespace dpl::sema;

namespace {

class ClusterLowering : ClusterFields {
public:
  using ClusterFields::ClusterFields;

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
    lowerDevices(to, fields);
    lowerNetwork(to, fields);
    rest();
    if (!failed())
      cluster.levels = ir::linkLevels(cluster);
    return failed() ? LogicalResult::failure() : LogicalResult::success();
  }

private:
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
};

} // namespace

LogicalResult sema::lowerCluster(Lowering& to, const Fields& cluster) {
  return ClusterLowering(to, cluster).run();
}
