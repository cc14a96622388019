#pragma once
//===- Verify.h - Parts of the verifier -------------------------------------------------------===//
#include "ir/Plan.h"

namespace dpl::ir {

/// The broken rules of bodies and programs: they call the collectives of their chunk, as often as
/// those say, and leave none behind but on the data stream.
void verifyStagePrograms(const Plan& plan, std::vector<std::string>& broken);
/// The broken rules of the lists by themselves: every micro-batch of a chunk forward and backward
/// exactly once, in this order. That the ranks together come to the end is for cost::prove to say.
void verifySchedule(const Plan& plan, std::vector<std::string>& broken);

/// The broken rules of the mesh, the pipeline ranks of each node type and the groups. Relies on: a
/// cluster without broken rules.
void verifyMesh(const Plan& plan, std::vector<std::string>& broken);
/// Whether the network is one that levels can be seen in: its units nest, and its links are there.
bool verifyNetwork(const Cluster& cluster, std::vector<std::string>& broken);
/// Whether each place below their number is there once.
bool isOrder(llvm::ArrayRef<std::uint64_t> places);

} // namespace dpl::ir
