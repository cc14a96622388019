#pragma once
//===- Lower.h - From checked objects to the plan ---------------------------------------------===//
#include "frontend/sema/Fields.h"
#include "ir/Plan.h"
#include "support/Diagnostics.h"

namespace dpl::sema {

/// Fills `model`, `cluster`, `layout` and `lint` of a plan from the four objects: the layout block,
/// the objects of its header, and the file's `lint` block or the default one. Assertions, name and
/// file are the caller's. Fails when a field failed or what it says cannot be expressed.
LogicalResult lower(const Fields& layout, const Fields& model, const Fields& cluster,
                    const Fields& lint, const SourceManager& sources, DiagnosticEngine& diags,
                    ir::Plan& plan);

} // namespace dpl::sema
