//===- Collective.cpp - Prediction of one collective alone on a cluster -----------------------===//
#include "driver/collective/Collective.h"
#include "ir/Names.h"
#include "support/diagnostics/Score.h"
using namespace dpl;
using namespace dpl::score;

namespace {
/// The time that a Python loop adds to each collective. It is an estimate, because no machine was
/// measured with both harnesses.
constexpr double torchLaunch = 20e-6;
/// Launch time per further device of a thread. 8 bytes take 10.0, 13.8, 16.9, 20.8, 25.2, 29.5 and
/// 33.7 us on 2 to 8 A100 of one thread (github.com/NVIDIA/nccl-tests, issue 123). That is 3.95 us
/// per device, of which 1.2 us are two hops of a ring in NCCL's tuner.
constexpr double launchOfDevice = 2.75e-6;
} // namespace

Harness score::harnessNamed(llvm::StringRef name) {
  const auto* found = llvm::find(harnessNames, name);
  return found == std::end(harnessNames) ? Harness::NcclTests
                                         : static_cast<Harness>(found - std::begin(harnessNames));
}

double score::launchOf(Harness harness, std::uint64_t devices) {
  switch (harness) {
  case Harness::NcclTests:
    return 0;
  case Harness::OneThread:
    return static_cast<double>(std::max<std::uint64_t>(devices, 1) - 1) * launchOfDevice;
  case Harness::Torch:
    return torchLaunch;
  }
  return 0;
}

std::string score::layoutOfRanks(std::uint64_t ranks) {
  return fmt::format("  devices = {0}\n  mesh.data = {0}\n  batch = {0}seq\n", ranks);
}

ir::LinkLevels score::aloneLinks(const ir::Cluster& cluster) {
  ir::LinkLevels links(cluster.levels.begin(), cluster.levels.end());
  for (ir::LinkLevel& level : links)
    level.inStep = 1;
  return links;
}

namespace {
/// A sentence for an algorithm that cannot run: the collectives that it supports, or what it
/// requires of the group and its links.
std::string whatItTakes(ir::Algorithm algorithm, ir::CollectiveKind kind) {
  const cost::AlgorithmInfo& row = *cost::algorithms()[static_cast<std::size_t>(algorithm)];
  if (!row.does(kind)) {
    std::string all;
    for (const ir::CollectiveKind does : row.kinds)
      all += std::string(all.empty()                ? ""
                         : does == row.kinds.back() ? " and "
                                                    : ", ") +
             ir::name(does);
    return "it does " + all;
  }
  return std::string("it needs ") + (row.needs ? row.needs : "other links");
}
} // namespace

FailureOr<CollectivePrediction> score::predictCollective(const ir::Plan& plan,
                                                         const CollectiveRequest& request,
                                                         DiagnosticEngine& diags) {
  CollectivePrediction out;
  out.ranks = plan.mesh.size(ir::Axis::Data);
  const ir::Group* group = plan.group("data");
  if (!group || out.ranks < 2)
    return diags.report<diag::CollectiveUnsaid>({}, "a collective needs at least 2 ranks");
  const cost::GroupShape shape = cost::shapeOf(*group);
  const auto bytes = static_cast<double>(request.bytes);
  const ir::LinkLevels links = aloneLinks(plan.cluster);
  out.cost = request.algorithm ? cost::costOf(request.kind, *request.algorithm, bytes, shape, links)
                               : cost::collectiveCost(request.kind, bytes, shape, links);
  const bool does =
      !request.algorithm ||
      cost::algorithms()[static_cast<std::size_t>(*request.algorithm)]->does(request.kind);
  const bool ordered = request.algorithm != ir::Algorithm::ListedRing || !shape.order.empty();
  if (!does || !ordered || !(out.cost.seconds < 1e12))
    return diags
        .report<diag::CollectiveUnsaid>({}, fmt::format("`{}` cannot run {} over {} ranks here",
                                                        ir::name(out.cost.algorithm),
                                                        ir::name(request.kind), out.ranks))
        .help(whatItTakes(out.cost.algorithm, request.kind));
  for (std::size_t l = 0; l <= shape.spannedLevel() && l < links.size(); ++l)
    out.levels.push_back({links[l], out.cost.bytesPerLevel[l], out.cost.secondsPerLevel[l]});
  out.launch = launchOf(request.harness, std::min(out.ranks, plan.cluster.gpusPerNode));
  out.algorithmBandwidth = bytes / out.seconds();
  out.busBandwidth =
      out.algorithmBandwidth * cost::busFactor(request.kind, static_cast<double>(out.ranks));
  return out;
}
