#pragma once
//===- Lower.h - Lowers checked objects to a plan ---------------------------------------------===//
#include "frontend/sema/ObjectFields.h"
#include "ir/Plan.h"
#include "support/Diagnostics.h"

namespace dpl::sema {

class Checker;

/// Fills `model`, `cluster`, `layout` and `lint` of a plan from four objects: the layout block, the
/// objects of its header, and the file's `lint` block or the default one. The caller sets
/// assertions, name and file. Fails if a field has an error or if the plan cannot express it.
LogicalResult lower(const ObjectFields& layout, const ObjectFields& model,
                    const ObjectFields& cluster, const ObjectFields& lint,
                    const SourceManager& sources, DiagnosticEngine& diags, ir::Plan& plan);

/// Adds a run of the layout to its plan.
LogicalResult lowerRun(const ObjectFields& run, const Object& layout, const SourceManager& sources,
                       DiagnosticEngine& diags, ir::Plan& plan);
/// Adds a launch to a plan. `run` is the run of its header, which is already in the plan, and
/// `layout` is the plan's layout.
LogicalResult lowerLaunch(const ObjectFields& launch, const ObjectFields& run, const Object& layout,
                          const SourceManager& sources, DiagnosticEngine& diags, ir::Plan& plan);
/// Sets the framework of the layout, and the fields that it fills in.
void lowerFramework(Evaluator& evaluator, const ObjectFields& layout, ir::Framework& out);
/// Changes the plan of a search's first candidate to that of the search.
void lowerSearch(Checker& checker, Evaluator& evaluator, Object& search, ir::Plan& plan);
/// Adds a study of a run to a plan with that run.
LogicalResult lowerStudy(Checker& checker, Evaluator& evaluator, const ObjectFields& study,
                         const std::string& run, ir::Plan& plan);
/// The layouts of a run's phases in order, each once.
std::vector<Object*> layoutsOf(const ObjectFields& run);

} // namespace dpl::sema
