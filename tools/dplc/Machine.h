#pragma once
//===- Machine.h - A cluster that the command line names --------------------------------------===//
#include "ir/Names.h"
#include "support/Near.h"
#include "tools/dplc/Session.h"

namespace dpl::tool {

/// A cluster and a number of ranks. The cluster is one of the library, such as `clusters.dgx_h100`,
/// or one of a file, such as `pod`.
struct MachineRequest {
  std::string cluster;
  std::string file; ///< path of the file; empty: the library
  std::uint64_t ranks = 2;
};

/// A plan on the cluster with `ranks` data ranks and `nodes` nodes (0: those of the cluster); null
/// after a report.
ir::Plan* planOn(Session& session, const MachineRequest& request, std::uint64_t nodes,
                 std::unique_ptr<CompiledUnit>& unit);

/// Checks the name of a cluster before it becomes part of a generated file, where an error would be
/// at a line that the user did not write. False after a report.
bool isMachine(Session& session, const MachineRequest& request);

/// The paths of the library's clusters: `clusters.NAME`.
std::vector<std::string> clustersOfLibrary();

/// The number of nodes for this number of devices, rounded up to whole scale-up domains such as an
/// NVL72.
std::uint64_t nodesFor(const ir::Cluster& cluster, std::uint64_t devices);

/// The enumerator that a word of the command line names; empty after a report.
template <class E>
std::optional<E> worded(Session& session, const char* option, const std::string& word) {
  E value{};
  if (ir::valueNamed(word, value))
    return value;
  std::vector<std::string> names;
  for (const char* name : ir::namesOf(E{}))
    names.emplace_back(name);
  session.wrongUsage(fmt::format("{}: there is no `{}`", option, word),
                     didYouMean(nearNames(word, names), "there are " + alternatives(names)));
  return std::nullopt;
}

} // namespace dpl::tool
