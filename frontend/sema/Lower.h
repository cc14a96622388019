#pragma once
//===- Lower.h - From checked objects to the plan ---------------------------------------------===//
#include "frontend/sema/ObjectFields.h"
#include "ir/Plan.h"
#include "support/Diagnostics.h"

namespace dpl::sema {

class Checker;

/// Fills `model`, `cluster`, `layout` and `lint` of a plan from the four objects: the layout block,
/// the objects of its header, and the file's `lint` block or the default one. Assertions, name and
/// file are the caller's. Fails when a field failed or what it says cannot be expressed.
LogicalResult lower(const ObjectFields& layout, const ObjectFields& model,
                    const ObjectFields& cluster, const ObjectFields& lint,
                    const SourceManager& sources, DiagnosticEngine& diags, ir::Plan& plan);

/// Adds to a lowered plan what a run of its layout says.
LogicalResult lowerRun(const ObjectFields& run, const Object& layout, const SourceManager& sources,
                       DiagnosticEngine& diags, ir::Plan& plan);
/// Adds to a lowered plan what `launch` says of starting it; `run` is the object of its header,
/// which the plan has, and `layout` that of the plan.
LogicalResult lowerLaunch(const ObjectFields& launch, const ObjectFields& run, const Object& layout,
                          const SourceManager& sources, DiagnosticEngine& diags, ir::Plan& plan);
/// Which framework the layout names, and what that filled in.
void lowerFramework(Evaluator& evaluator, const ObjectFields& layout, ir::Framework& out);
/// Makes the plan of a search's first candidate that of the search.
void lowerSearch(Checker& checker, Evaluator& evaluator, Object& search, ir::Plan& plan);
/// Adds to a plan that has the run what a study of the run varies.
LogicalResult lowerStudy(Checker& checker, Evaluator& evaluator, const ObjectFields& study,
                         const std::string& run, ir::Plan& plan);
/// The layouts that the phases of a run use, each once, in their order.
std::vector<Object*> layoutsOf(const ObjectFields& run);

} // namespace dpl::sema
