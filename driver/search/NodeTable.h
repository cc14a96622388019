#pragma once
//===- NodeTable.h - The layouts of a job for fewer and fewer nodes ---------------------------===//
#include "driver/workspace/Workspace.h"

namespace dpl::search {

/// A layout of a file, and the numbers of nodes on which its job may run.
struct NodeTableRequest {
  std::string path;
  std::optional<std::string> text; ///< of the file, if it comes from standard input
  std::vector<Override> overrides; ///< settings of the command line
  std::uint64_t least = 1;         ///< the fewest nodes
  unsigned threads = 1;
};

/// The fastest layout that loads the checkpoints of the job on this number of nodes.
struct NodeRow {
  std::uint64_t nodes = 0;
  std::uint64_t used = 0; ///< nodes of the layout: fewer if none of more nodes is as fast
  /// Fields of the layout, and the number of nodes of its cluster, as in a file.
  std::vector<WrittenField> fields, ofCluster;
  std::string condition; ///< under which the checkpoint loads; empty without one
  ir::Plan plan;         ///< complete
};

/// The rows from the nodes of the layout down to the least that has a layout. Degrees that the
/// checkpoints allow to change, micro-batch, recomputation and sequence sharding are searched; the
/// batch stays. Relies on: `plan` is complete, and its cluster has more than `least` nodes of one
/// type. Fails after a report if fewer nodes have no layout.
FailureOr<std::vector<NodeRow>> nodeTable(const ir::Plan& plan, const NodeTableRequest& request,
                                          DiagnosticEngine& diags);

} // namespace dpl::search
