#pragma once
//===- AutoMesh.h - `mesh = auto`: degrees in a documented finite order -----------------------===//
#include "passes/Pass.h"

namespace dpl {

/// Degrees that are tried together; data takes what they leave.
struct MeshCandidate {
  std::uint64_t tensor = 1, pipeline = 1, data = 1, expert = 1;
  bool operator==(const MeshCandidate&) const = default;
  /// "tensor 1 × pipeline 4 × data 2".
  std::string str(bool withExperts) const;
};

/// In the order of docs/passes.md: least tensor, then least tensor × pipeline, then least expert.
/// Only degrees that divide what they are to divide.
std::vector<MeshCandidate> meshCandidates(const ir::Plan& plan);
/// Powers of two that divide a replica's share of the batch, smallest first. With a pipeline only
/// those that leave four micro-batches a stage, and 1.
std::vector<std::uint64_t> microBatchCandidates(const ir::Plan& plan, const MeshCandidate& c);

/// Tries the passes on one plan; returns the index of the pass that failed, or the number of
/// passes.
using TryPasses = std::function<std::size_t(ir::Plan&, DiagnosticEngine&)>;
/// Writes the first candidate that passes into the layout's mesh and micro-batch; one error if none
/// does.
LogicalResult findMesh(ir::Plan& plan, DiagnosticEngine& diags, const TryPasses& tryPasses);

} // namespace dpl
