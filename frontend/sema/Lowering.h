#pragma once
//===- Lowering.h - What the parts of the lowering share --------------------------------------===//
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

  /// A count that must not pass `limit`, so that later products of counts fit 64 bits. What is past
  /// it is reported and replaced by 1.
  std::uint64_t bounded(std::uint64_t n, std::uint64_t limit, llvm::StringRef what,
                        SourceRange range);
  /// Keeps where a field was given under a path of the layout's ranges, unless it is a default;
  /// under the path with `=` behind it the place of the value alone, which an edit may replace.
  void locate(const std::string& path, const ObjectFields& object, llvm::StringRef field);
};

using ir::mostChannels, ir::mostDevices, ir::mostElements, ir::mostLayers, ir::mostSequences;

LogicalResult lowerModel(Lowering& to, const ObjectFields& model);
LogicalResult lowerCluster(Lowering& to, const ObjectFields& cluster);
/// `direct_bandwidth` of leaves and pods, after all of the network. Fails `to` after a report.
void lowerDirectLinks(Lowering& to, const ObjectFields& cluster);
/// `domain.torus`, whose links are the last that the plan has. Fails `to` after a report.
void lowerTorus(Lowering& to, const ObjectFields& cluster);
/// `order` of rings that go through devices as it says. Fails `to` after a report.
void lowerRingOrder(Lowering& to, const ObjectFields& rings);
/// After the model, whose sequence length turns tokens into sequences.
LogicalResult lowerLayout(Lowering& to, const ObjectFields& layout);
/// `mesh`, and for `mesh = auto` which other fields it may vary. Follows the model.
void lowerMesh(Lowering& to, const ObjectFields& layout);
/// `schedule` and `micro_batch_costs`, after `recompute`, which lists of operations depend on.
void lowerSchedule(Lowering& to, const ObjectFields& layout);
/// `synchronization`, `batch_balancing`, `throttling`, `parameter_servers` and `compression`.
void lowerDataRanks(Lowering& to, const ObjectFields& layout);
/// Fills the settings from the field `optimizer` of a layout or a run; with `onlySet` those that
/// the file sets, the others stay.
void lowerOptimizer(const ObjectFields& owner, ir::OptimizerKind kind, bool onlySet,
                    ir::OptimizerSettings& out);
/// `batch` or `micro_batch` in sequences or samples; `unit` is what the model is counted in.
std::uint64_t lowerBatch(Lowering& to, const ObjectFields& layout, llvm::StringRef field,
                         ir::BatchUnitKind unit);

/// The layout of a phase: its own, or that of its run.
const ast::BlockDecl* layoutOf(const ObjectFields& phase, const ObjectFields& run);

/// A choice of the language as the enumeration of the plan with the same spellings.
template <class E> E choice(const ObjectFields& object, llvm::StringRef field, E otherwise) {
  const llvm::StringRef chosen = object.choice(field);
  E value = otherwise;
  if (!chosen.empty() && !ir::valueNamed(chosen, value))
    assert(false && "the schema and the plan name the same choices");
  return value;
}

} // namespace dpl::sema
