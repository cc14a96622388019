#pragma once
//===- Collective.h - Prediction of one collective alone on a cluster -------------------------===//
#include "cost/collectives/CollectiveCost.h"
#include "driver/workspace/Workspace.h"

namespace dpl::score {

/// The program that repeats and times a collective.
enum class Harness : std::uint8_t {
  NcclTests, ///< the device runs them one after another
  OneThread, ///< nccl-tests `-g`: one thread launches on each device of a node in turn
  Torch,     ///< a Python loop launches each and waits for it
};
constexpr const char* harnessNames[] = {"nccl_tests", "one_thread", "torch"};
/// The harness of that name, or nccl_tests.
Harness harnessNamed(llvm::StringRef name);

struct CollectiveRequest {
  ir::CollectiveKind kind = ir::CollectiveKind::AllReduce;
  std::uint64_t bytes = 0; ///< whole buffer of a rank, as in nccl-tests
  std::optional<ir::Algorithm> algorithm;
  Harness harness = Harness::NcclTests;
};

struct CollectiveLevel {
  ir::LinkLevel links;
  double bytes = 0;   ///< bytes that one device sends over them, on average
  double seconds = 0; ///< time of the busiest links
};

struct CollectivePrediction {
  cost::CollectiveCost cost;
  double launch = 0; ///< launch time of the harness, s
  std::uint64_t ranks = 0;
  std::vector<CollectiveLevel> levels; ///< levels that the group uses
  double seconds() const { return cost.seconds + launch; }
  /// As nccl-tests defines them: bytes / time, and that multiplied by the smallest share of a
  /// buffer that each rank must send.
  double algorithmBandwidth = 0, busBandwidth = 0;
};

/// The link levels of a cluster for a collective without other traffic.
ir::LinkLevels aloneLinks(const ir::Cluster& cluster);
/// Predicts a collective of all data ranks of a plan with groups. Fails after a report if the
/// algorithm does not support it.
FailureOr<CollectivePrediction>
predictCollective(const ir::Plan& plan, const CollectiveRequest& request, DiagnosticEngine& diags);

/// The time that a harness adds to each collective, s. `devices` are those of one thread.
double launchOf(Harness harness, std::uint64_t devices);

/// The settings of a layout with `ranks` in one group.
std::string layoutOfRanks(std::uint64_t ranks);

} // namespace dpl::score
