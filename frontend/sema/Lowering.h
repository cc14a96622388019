#pragma once
//===- Lowering.h - State of a lowering, and the functions of its parts -----------------------===//
#include "frontend/ast/Ast.h"
#include "frontend/sema/ObjectFields.h"
#include "ir/Limits.h"
#include "ir/Names.h"
#include "support/Diagnostics.h"

namespace dpl::sema {

/// State of one lowering.
struct Lowering {
  const SourceManager& sources;
  DiagnosticEngine& diags;
  ir::Plan& plan;
  bool failed = false;

  /// Returns a count that is at most `limit`, so that products of counts fit 64 bits. A larger
  /// count is reported and replaced by 1.
  std::uint64_t bounded(std::uint64_t n, std::uint64_t limit, llvm::StringRef what,
                        SourceRange range);
  /// Records the place of a field in the layout's ranges under `path`, unless the field has its
  /// default. Under `path=` it records the place of the value alone, which an edit may replace.
  void locate(const std::string& path, const ObjectFields& object, llvm::StringRef field);
};

using ir::mostDevices, ir::mostElements, ir::mostLayers, ir::mostSequences;

LogicalResult lowerModel(Lowering& to, const ObjectFields& model);
LogicalResult lowerCluster(Lowering& to, const ObjectFields& cluster);
/// Lowers `direct_bandwidth` of leaves and pods. It comes after the network. May set `to.failed`.
void lowerDirectLinks(Lowering& to, const ObjectFields& cluster);
/// Lowers `domain.torus`. Its links come last in the plan. May set `to.failed`.
void lowerTorus(Lowering& to, const ObjectFields& cluster);
/// Lowers `order` of rings. May set `to.failed`.
void lowerRingOrder(Lowering& to, const ObjectFields& rings);
/// Lowers the layout. It comes after the model, whose context length converts tokens to sequences.
LogicalResult lowerLayout(Lowering& to, const ObjectFields& layout);
/// Lowers `mesh`, and for `mesh = auto` the other fields that a search may vary. It comes after the
/// model.
void lowerMesh(Lowering& to, const ObjectFields& layout);
/// Lowers `schedule` and `micro_batch_costs`. It comes after `recompute`, on which custom actions
/// depend.
void lowerSchedule(Lowering& to, const ObjectFields& layout);
/// Lowers `synchronization`, `batch_balancing`, `throttling`, `parameter_servers` and
/// `compression`.
void lowerDataRanks(Lowering& to, const ObjectFields& layout);
/// Reads the field `optimizer` of a layout or run. If `onlySet` is set, it changes only the
/// settings that the file sets.
void lowerOptimizer(Lowering& to, const ObjectFields& owner, ir::OptimizerKind kind, bool onlySet,
                    ir::OptimizerSettings& out);
/// Lowers `frozen`, `frozen_weights`, `lora` and `documents`, after the model and the rest of the
/// layout. May set `to.failed`.
void lowerFineTuning(Lowering& to, const ObjectFields& layout);
/// Reads the problem of a phase of a run with the optimizer `settings`. Fails `to` after a report.
void lowerProblem(Lowering& to, const ObjectFields& run, const ir::OptimizerSettings& settings,
                  const ObjectFields& phase, ir::RunPhase& out);
/// Reads `batch` or `micro_batch`, in sequences or samples, which is what the model counts in
/// `unit`.
std::uint64_t lowerBatch(Lowering& to, const ObjectFields& layout, llvm::StringRef field,
                         ir::BatchUnitKind unit);

/// The layout of a phase, or that of its run if the phase has none.
const ast::BlockDecl* layoutOf(const ObjectFields& phase, const ObjectFields& run);

/// Converts a choice to the enumerator of the plan that has the same spelling.
template <class E> E choice(const ObjectFields& object, llvm::StringRef field, E otherwise) {
  const llvm::StringRef chosen = object.choice(field);
  E value = otherwise;
  if (!chosen.empty() && !ir::valueNamed(chosen, value))
    assert(false && "the schema and the plan name the same choices");
  return value;
}

} // namespace dpl::sema
