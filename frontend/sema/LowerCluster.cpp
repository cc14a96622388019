//===- LowerCluster.cpp - Lowers nodes, variation, failures and storage of a cluster ----------===//
#include "frontend/sema/ClusterFields.h"
#include "frontend/sema/LowerJitter.h"
#include "support/Text.h"
#include "support/diagnostics/Layout.h"
#include "support/diagnostics/Schema.h"

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
    const ObjectFields node = fields.object("node");
    cluster.gpusPerNode = positive(node, "gpus");
    if (!failed())
      to.bounded(cluster.devices(), mostDevices, "nodes × gpus", fields.range("nodes"));
    if (failed())
      return LogicalResult::failure();
    if (node.has("cpus"))
      cluster.cpusPerNode = positive(node, "cpus");
    if (node.has("memory")) {
      cluster.hostMemory = node.bytes("memory");
      notZero(cluster.hostMemory, node, "memory");
    }
    lowerDevices(to, fields);
    lowerNetwork(to, fields);
    rest();
    if (!failed())
      cluster.levels = ir::linkLevels(cluster);
    return failed() ? LogicalResult::failure() : LogicalResult::success();
  }

private:
  void loading() {
    to.locate("cluster.data_loading", fields, "data_loading");
    const ObjectFields from = fields.object("data_loading");
    for (const char* field : {"workers", "sample_time", "sample_bytes"})
      to.locate(std::string("cluster.data_loading.") + field, from, field);
    ir::Loading& out = cluster.loading.emplace_back();
    if (from.has("workers"))
      out.workers = ratio(from, "workers", positiveRate);
    out.time = from.picoseconds("sample_time"), out.bytes = from.bytes("sample_bytes");
    out.prefetch =
        to.bounded(from.count("prefetch"), mostPrefetch, "prefetch", from.range("prefetch"));
    notZero(out.prefetch, from, "prefetch");
    lowerFreshJitter(to, from, "the samples of each step", out.jitter);
    if (out.bytes == 0 || fields.has("storage") || failed())
      return;
    to.failed = true;
    to.diags.report<diag::SamplesFromNowhere>(from.range("sample_bytes"), cluster.name);
  }

  void delay() {
    to.locate("cluster.message_delay", fields, "message_delay");
    const ObjectFields from = fields.object("message_delay");
    ir::MessageDelay& out = cluster.delay.emplace_back();
    out.mean = from.picoseconds("mean");
    lowerFreshJitter(to, from, "each message", out.jitter);
  }

  void links() {
    to.locate("cluster.link_jitter", fields, "link_jitter");
    const ObjectFields from = fields.object("link_jitter");
    ir::LinkJitter& out = cluster.linkJitter.emplace_back();
    lowerFreshJitter(to, from, "each link", out.jitter);
    if (!from.has("interval"))
      return;
    out.every = from.picoseconds("interval");
    notZero(out.every, from, "interval");
  }

  void failures() {
    to.locate("cluster.failures", fields, "failures");
    const ObjectFields from = fields.object("failures");
    cluster.failures = {true, from.real("gpu"), from.real("nic"), from.real("node"),
                        from.picoseconds("restart")};
    ir::FailureDetails other;
    other.link = from.real("link"), other.leaf = from.real("leaf");
    other.storage = from.real("storage");
    other.detection = from.picoseconds("detection");
    if (from.has("repair")) {
      other.repair = from.picoseconds("repair");
      notZero(other.repair, from, "repair");
    }
    if (from.has("fail_slow")) {
      const ObjectFields slow = from.object("fail_slow");
      other.slow = slow.real("rate"), other.slowdown = slow.real("slowdown");
      other.slowDetection = slow.picoseconds("detection");
    }
    other.shape = from.real("shape");
    degradations(from, other.degradations);
    if (other.link + other.leaf + other.storage + other.slow > 0 ||
        other.detection + other.repair > 0 || other.shape != 1 || !other.degradations.empty())
      cluster.failureDetails = {other};
  }

  void degradations(const ObjectFields& failures, std::vector<ir::Degradation>& out) {
    for (const ObjectFields::FieldsRun& each : failures.runs("degradation"))
      for (std::uint64_t i = 0; i < each.count; ++i) {
        if (to.bounded(out.size() + 1, mostDegradations, "degradations",
                       failures.range("degradation")) <= out.size())
          return;
        ir::Degradation& one = out.emplace_back();
        one.index = each.first + i, one.begin = each.fields.picoseconds("at");
        if (each.fields.has("duration") &&
            __builtin_add_overflow(one.begin, each.fields.picoseconds("duration"), &one.end))
          one.end = 0; // no run is as long
        one.node = each.fields.count("node");
        one.speed = each.fields.real("speed"), one.bandwidth = each.fields.real("bandwidth");
        if (one.node < cluster.nodes)
          continue;
        to.failed = true;
        to.diags.report<diag::DegradedNode>(each.fields.range("node"), one.index, one.node,
                                            cluster.name, plural(cluster.nodes, "node"));
      }
  }

  static constexpr std::uint64_t mostFlows = 1000, mostPrefetch = 1000, mostDegradations = 16;
  static constexpr Ratio positiveRate{[](double r) { return r > 0 && r <= 1e6; },
                                      "above 0 and at most 1000000"};
  ir::SharedBus bus(const ObjectFields& from) {
    const auto bytes = [&](const char* field) {
      const std::uint64_t bits = from.bitsPerSecond(field);
      notZero(bits, from, field);
      return static_cast<double>(bits) / 8;
    };
    return {bytes("bandwidth"), bytes("compute_bandwidth"),
            static_cast<double>(
                to.bounded(from.count("flows"), mostFlows, "flows", from.range("flows")))};
  }

  void rest() {
    lowerJitter(to, fields, cluster.jitter);
    if (fields.has("data_loading"))
      loading();
    if (fields.has("message_delay"))
      delay();
    if (fields.has("link_jitter"))
      links();
    if (fields.has("interference")) {
      to.locate("cluster.interference", fields, "interference");
      const ObjectFields from = fields.object("interference");
      cluster.coupling = {{1, choice(from, "level", ir::Level::Node), {}}};
      ir::Coupling& coupling = cluster.coupling.front();
      if (from.has("slowdown"))
        coupling.factor = ratio(from, "slowdown", tapered);
      if (from.has("bus"))
        coupling.bus = {bus(from.object("bus"))};
    }
    if (fields.has("failures"))
      failures();
    if (fields.has("storage")) {
      to.locate("cluster.storage", fields, "storage");
      const ObjectFields storage = fields.object("storage");
      cluster.storageWrite = storage.bitsPerSecond("write");
      cluster.storageRead = storage.bitsPerSecond("read");
      notZero(cluster.storageWrite, storage, "write");
      if (storage.isSet("read"))
        notZero(cluster.storageRead, storage, "read");
    }
    to.locate("cluster.energy_price", fields, "energy_price");
    if (fields.has("energy_price"))
      cluster.energyPrice = fields.number("energy_price").toDouble();
  }
};

} // namespace

LogicalResult sema::lowerCluster(Lowering& to, const ObjectFields& cluster) {
  return ClusterLowering(to, cluster).run();
}
