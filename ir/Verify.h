#pragma once
//===- Verify.h - Parts of the verifier -------------------------------------------------------===//
#include "ir/Plan.h"

namespace dpl::ir {

/// Checks stage programs: they launch collectives of their chunk as often as these state, and leave
/// only collectives of the data stream running.
void verifyStagePrograms(const Plan& plan, std::vector<std::string>& broken);
/// Checks each per-rank schedule by itself: every micro-batch of a chunk runs forward and backward
/// exactly once, in this order. Whether all ranks together complete is checked by cost::Proof.
void verifySchedule(const Plan& plan, std::vector<std::string>& broken);

/// Checks the mesh, the pipeline ranks of each node type and the groups. Relies on: a cluster
/// without broken rules.
void verifyMesh(const Plan& plan, std::vector<std::string>& broken);
/// Checks that the network has levels: its units nest, and its links exist.
bool verifyNetwork(const Cluster& cluster, std::vector<std::string>& broken);
/// Whether `places` contains each number below its size once.
bool isOrder(llvm::ArrayRef<std::uint64_t> places);

} // namespace dpl::ir
