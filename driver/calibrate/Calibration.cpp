//===- Calibration.cpp - Network parameters from timed collectives ----------------------------===//
#include "driver/calibrate/Calibration.h"
#include "cost/collectives/Torus.h"
#include "cost/network/RingOrder.h"
#include "driver/calibrate/Fit.h"
#include "driver/compare/Comparison.h"
#include "support/Utf8.h"
#include "support/diagnostics/Score.h"
#include "support/diagnostics/Tools.h"
#include <cmath>
using namespace dpl;
using namespace dpl::score;

namespace {
/// The collective that a row measures, with its group.
MeasuredCollective collectiveOf(const CollectiveTiming& row, const ir::Cluster& cluster,
                                Harness harness) {
  const std::uint64_t ofNode = row.ranks / row.nodes;
  MeasuredCollective call{row, aloneLinks(cluster), {}, {}, {}, ofNode};
  call.launch =
      row.ofThread > 0 ? launchOf(Harness::OneThread, row.ofThread) : launchOf(harness, ofNode);
  for (const ir::LinkLevel& level : call.links)
    call.inside.push_back(std::min(row.ranks, level.devices / cluster.gpusPerNode * ofNode));
  for (const ir::Torus& torus : cluster.network.torus)
    call.torus = cost::torusRanks(ir::Stride{row.ranks, 1, row.ranks}, torus, call.inside.front());
  if (!cluster.network.order.empty()) {
    ir::Cluster taken = cluster;
    taken.gpusPerNode = ofNode;
    ir::Group group;
    group.size = row.ranks, group.strides = {{row.ranks, 1, row.ranks}};
    call.order = cost::ringOrder(group, taken);
  }
  return call;
}

/// Whether the log shows that a row was timed by a harness other than this one.
bool contradicts(const CollectiveTiming& row, Harness harness) {
  if (row.ofThread == 0 || harness == Harness::NcclTests)
    return false;
  return harness == Harness::Torch || row.ofThread != row.ranks / row.nodes;
}
} // namespace

std::string FittedFact::text(double value) const {
  return isTime ? fmt::format("{:.1f}us", value * 1e6) : fmt::format("{:.4g}", value);
}

double Residual::busBandwidth(double seconds) const {
  return static_cast<double>(measured.bytes) / seconds *
         cost::busFactor(measured.kind, static_cast<double>(measured.ranks));
}

FailureOr<Calibration> score::calibrate(const ir::Cluster& cluster, const std::string& name,
                                        llvm::ArrayRef<CollectiveTiming> rows, Harness harness,
                                        DiagnosticEngine& diags) {
  for (const CollectiveTiming& row : rows)
    if (row.nodes > cluster.nodes || row.ranks / row.nodes > cluster.gpusPerNode)
      return diags.report<diag::LogBeyondCluster>(row.where, row.nodes, row.ranks / row.nodes, name,
                                                  cluster.nodes, cluster.gpusPerNode);
  for (const CollectiveTiming& row : rows)
    if (contradicts(row, harness))
      return diags.report<diag::LogWrong>(
          row.where,
          fmt::format(
              "the log is of nccl-tests with {} devices per thread, but `--harness {}` is given",
              row.ofThread, harnessNames[static_cast<std::size_t>(harness)]));
  for (const CollectiveTiming& row : rows)
    if (llvm::all_of(cluster.nodeTypes, [&](const ir::NodeType& type) {
          return compare::isOtherDevice(row.device, type.device.name);
        }))
      return diags.report<diag::LogWrong>(
          row.where, fmt::format("the log is of {}, cluster `{}` has {}", oneLine(row.device), name,
                                 cluster.device().name));
  std::vector<MeasuredCollective> collectives;
  for (const CollectiveTiming& row : rows)
    collectives.push_back(collectiveOf(row, cluster, harness));
  Fit fit(std::move(collectives));
  Calibration out;
  for (const MeasuredCollective& collective : fit.collectives)
    out.rows.push_back({collective.measured, fit.predicted(collective), 0, {}});
  std::vector<bool> seen;
  for (Fact& fact : fit.facts)
    seen.push_back(fit.isSeen(fact));
  fit.run();
  for (std::size_t i = 0; i < fit.facts.size(); ++i) {
    const Fact& fact = fit.facts[i];
    out.facts.push_back({fact.kind->path, fact.kind->isTime, fact.was, fact.is, seen[i]});
  }
  for (std::size_t i = 0; i < fit.collectives.size(); ++i) {
    out.rows[i].cost = fit.cost(fit.collectives[i]);
    out.rows[i].after = fit.predicted(fit.collectives[i]);
  }
  return out;
}

namespace {
/// Bounds outside of which a machine is not healthy: a fitted share over the old one, a latency,
/// and the errors of the rows.
constexpr double leastShare = 0.3, mostLatency = 400e-6, mostMedian = 0.3;
/// The share of the bus bandwidth of smaller buffers below which large ones collapse, from 16 MiB.
constexpr double leastOfSmaller = 0.5;
constexpr std::uint64_t largeBuffer = 16 << 20;
/// Buffers from 1 MiB are judged alone too: their times are mostly bandwidth.
constexpr std::uint64_t bandwidthBuffer = 1 << 20;

const char* examineLinks(llvm::StringRef path) {
  return path.startswith("domain")
             ? "look at NVLink (`nvidia-smi nvlink -s`, `-e`), NCCL_P2P_DISABLE, and other jobs on "
               "the nodes"
         : path.endswith("latency")
             ? "look at the transport in the output of NCCL_DEBUG=INFO: sockets in place of IB or "
               "EFA, or no GPUDirect"
             : "look at the ports (links that are down or slow, error counters), GPUDirect in the "
               "output of NCCL_DEBUG=INFO, and other jobs on the network";
}

/// A row whose bus bandwidth is far below that of a smaller buffer of the same group; null if there
/// is none.
const Residual* collapsed(llvm::ArrayRef<Residual> rows) {
  for (const Residual& row : rows)
    for (const Residual& smaller : rows)
      if (const CollectiveTiming& a = smaller.measured, &b = row.measured;
          a.kind == b.kind && a.ranks == b.ranks && a.nodes == b.nodes && a.bytes < b.bytes &&
          a.bytes >= largeBuffer &&
          row.busBandwidth(b.seconds) < leastOfSmaller * smaller.busBandwidth(a.seconds))
        return &row;
  return nullptr;
}
} // namespace

LogicalResult score::judge(const Calibration& calibration, DiagnosticEngine& diags) {
  const auto& rows = calibration.rows;
  const auto worst =
      std::max_element(rows.begin(), rows.end(), [](const Residual& a, const Residual& b) {
        return std::abs(a.error(a.after)) < std::abs(b.error(b.after));
      });
  for (const FittedFact& fact : calibration.facts) {
    const bool tooSlow = fact.isTime ? fact.is > mostLatency : fact.is < leastShare * fact.was;
    if (fact.seen && tooSlow)
      return diags
          .report<diag::LogUnexplained>(rows.back().measured.where,
                                        fmt::format("{} would be {}, {} is usual", fact.path,
                                                    fact.text(fact.is), fact.text(fact.was)))
          .help(examineLinks(fact.path));
  }
  if (const Residual* const row = collapsed(rows))
    return diags
        .report<diag::LogUnexplained>(
            row->measured.where,
            fmt::format("the bus bandwidth falls to {:.0f}GB/s, smaller buffers have over twice as "
                        "much",
                        row->busBandwidth(row->measured.seconds) * 1e-9))
        .help(examineLinks("network"));
  std::vector<double> errors;
  for (const Residual& row : rows)
    errors.push_back(std::abs(row.error(row.after)));
  llvm::sort(errors);
  std::vector<double> ofLarge;
  for (const Residual& row : rows)
    if (row.measured.bytes >= bandwidthBuffer)
      ofLarge.push_back(std::abs(row.error(row.after)));
  llvm::sort(ofLarge);
  // Many small buffers, whose times are latencies, hide wrong bandwidths.
  if (!ofLarge.empty() && ofLarge[ofLarge.size() / 2] > errors[errors.size() / 2])
    errors = ofLarge;
  if (errors[errors.size() / 2] <= mostMedian)
    return LogicalResult::success();
  return diags
      .report<diag::LogUnexplained>(
          worst->measured.where,
          fmt::format("the best fit is {:.0f} % off, this row by {:.0f} %",
                      100 * errors[errors.size() / 2], 100 * std::abs(worst->error(worst->after))))
      .help(
          "repeat the test on idle nodes with more iterations (`-n 100`), and check the ranks and "
          "nodes of the log");
}

void score::setLinks(ir::Plan& plan, const Calibration& calibration) {
  ir::Network& network = plan.cluster.network;
  for (const FittedFact& fact : calibration.facts) {
    const auto [place, field] = llvm::StringRef(fact.path).split('.');
    const auto picoseconds = static_cast<std::uint64_t>(std::llround(fact.is * 1e12));
    if (!fact.seen)
      continue;
    if (place == "collectives")
      network.collectiveOverhead = picoseconds;
    for (ir::LinkType& link : network.links)
      if (place == "domain" ? link.kind == ir::LinkKind::ScaleUp
                            : place == "network" && link.kind == ir::LinkKind::Port) {
        if (field == "efficiency")
          link.efficiency = fact.is;
        else if (field == "sharp_efficiency")
          link.inSwitch = fact.is;
        else
          link.latency = picoseconds;
      }
  }
  plan.cluster.levels = ir::linkLevels(plan.cluster);
}
