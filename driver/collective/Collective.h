#pragma once
//===- Collective.h - Prediction of one collective alone on a cluster -------------------------===//
#include "cost/collectives/CollectiveCost.h"
#include "driver/workspace/Workspace.h"

namespace dpl::score {

/// The program that repeats a collective and times it.
enum class Harness : std::uint8_t {
  NcclTests, ///< nccl-tests: collectives run one after another on the device
  OneThread, ///< nccl-tests `-g`: one thread launches the collective on each device of a node in
             ///< turn
  Torch,     ///< a Python loop launches each collective and waits for it
};
constexpr const char* harnessNames[] = {"nccl_tests", "one_thread", "torch"};
/// The harness with this name; nccl_tests for other names.
Harness harnessNamed(llvm::StringRef name);

struct CollectiveRequest {
  ir::CollectiveKind kind = ir::CollectiveKind::AllReduce;
  std::uint64_t bytes = 0; ///< size of a rank's whole buffer, as in nccl-tests
  std::optional<ir::Algorithm> algorithm;
  Harness harness = Harness::NcclTests;
};

struct CollectiveLevel {
  ir::LinkLevel links;
  double bytes = 0;   ///< bytes that one device sends over links of the level, on average
  double seconds = 0; ///< time of the level's busiest links
};

struct CollectivePrediction {
  cost::CollectiveCost cost;
  double launch = 0; ///< launch time of the harness in s
  std::uint64_t ranks = 0;
  std::vector<CollectiveLevel> levels; ///< levels that the group uses
  double seconds() const { return cost.seconds + launch; }
  /// The bandwidths that nccl-tests defines. `algorithmBandwidth` is bytes divided by time.
  /// `busBandwidth` is this multiplied by the smallest share of a buffer that each rank must send.
  double algorithmBandwidth = 0, busBandwidth = 0;
};

/// The link levels of a cluster, for a collective without other traffic.
ir::LinkLevels aloneLinks(const ir::Cluster& cluster);
/// Predicts a collective over all data ranks of a plan, whose groups are complete. Fails, after a
/// report, if the algorithm does not support the collective.
FailureOr<CollectivePrediction>
predictCollective(const ir::Plan& plan, const CollectiveRequest& request, DiagnosticEngine& diags);

/// The time in s that a harness adds to each collective. `devices` is the number of devices of one
/// thread.
double launchOf(Harness harness, std::uint64_t devices);

/// The settings of a layout that has one group of `ranks` ranks.
std::string layoutOfRanks(std::uint64_t ranks);

} // namespace dpl::score
