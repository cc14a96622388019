#pragma once
//===- Lower.h - Lowers checked objects to a plan ---------------------------------------------===//
#include "frontend/sema/ObjectFields.h"
#include "ir/Plan.h"
#include "support/Diagnostics.h"

namespace dpl::sema {

class Checker;

/// Fills `model`, `cluster`, `layout` and `lint` of a plan. The four objects are the layout block,
/// the model and cluster of its header, and the `lint` block of the file or the default one. The
/// caller sets assertions, name and file. Fails if a field has an error, or if the plan cannot
/// express it.
LogicalResult lower(const ObjectFields& layout, const ObjectFields& model,
                    const ObjectFields& cluster, const ObjectFields& lint,
                    const SourceManager& sources, DiagnosticEngine& diags, ir::Plan& plan);

/// Adds a run that trains the layout to the layout's plan.
LogicalResult lowerRun(const ObjectFields& run, const Object& layout, const SourceManager& sources,
                       DiagnosticEngine& diags, ir::Plan& plan);
/// Adds a launch to a plan. `run` is the run in the header of the launch, which the plan has
/// already. `layout` is the layout of the plan.
LogicalResult lowerLaunch(const ObjectFields& launch, const ObjectFields& run, const Object& layout,
                          const SourceManager& sources, DiagnosticEngine& diags, ir::Plan& plan);
/// Sets the framework of a layout, and the list of fields that the framework sets.
void lowerFramework(Evaluator& evaluator, const ObjectFields& layout, ir::Framework& out);
/// Makes the plan of a search's first candidate the plan of the search.
void lowerSearch(Checker& checker, Evaluator& evaluator, Object& search, ir::Plan& plan);
/// Adds a study of a run to a plan that has this run.
LogicalResult lowerStudy(Checker& checker, Evaluator& evaluator, const ObjectFields& study,
                         const std::string& run, ir::Plan& plan);
/// The layouts of a run's phases in the order of phases, each once.
std::vector<Object*> layoutsOf(const ObjectFields& run);

} // namespace dpl::sema
