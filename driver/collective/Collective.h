#pragma once
//===- Collective.h - One collective alone on a cluster ---------------------------------------===//
#include "cost/collectives/CollectiveCost.h"
#include "driver/workspace/Workspace.h"

namespace dpl::score {

/// What calls a collective again and again while it is timed.
enum class Harness : std::uint8_t {
  NcclTests, ///< calls follow one another on the device
  OneThread, ///< of nccl-tests, `-g`: launches each on the devices of a node, one after another
  Torch,     ///< a loop in Python launches each and waits for it
};
constexpr const char* harnessNames[] = {"nccl_tests", "one_thread", "torch"};
/// nccl_tests where the name is none.
Harness harnessNamed(llvm::StringRef name);

struct CollectiveRequest {
  ir::CollectiveKind kind = ir::CollectiveKind::AllReduce;
  std::uint64_t bytes = 0; ///< as nccl-tests counts: the whole buffer of a rank
  std::optional<ir::Algorithm> algorithm;
  Harness harness = Harness::NcclTests;
};

struct CollectiveLevel {
  ir::LinkLevel links;
  double bytes = 0;   ///< that one device sends over them, on average
  double seconds = 0; ///< that the busiest links take for them
};

struct CollectivePrediction {
  cost::CollectiveCost cost;
  double launch = 0; ///< s, of the harness
  std::uint64_t ranks = 0;
  std::vector<CollectiveLevel> levels; ///< those that the group reaches
  double seconds() const { return cost.seconds + launch; }
  /// By the definitions of nccl-tests: bytes over time, and times what of a buffer each rank must
  /// send at least.
  double algorithmBandwidth = 0, busBandwidth = 0;
};

/// The levels of a cluster for a collective that has the network to itself.
ir::LinkLevels aloneLinks(const ir::Cluster& cluster);
/// Over all data ranks of a plan whose groups are built. Fails after a report where the algorithm
/// does not do this.
FailureOr<CollectivePrediction>
predictCollective(const ir::Plan& plan, const CollectiveRequest& request, DiagnosticEngine& diags);

/// What a harness adds to each call, s. `devices` are those of a thread where it has several.
double launchOf(Harness harness, std::uint64_t devices);

/// The settings of a layout that holds `ranks` and has them in one group.
std::string layoutOfRanks(std::uint64_t ranks);

} // namespace dpl::score
