#pragma once
//===- TinyPlan.h - A small model on sixteen devices ------------------------------------------===//
#include "tests/unit/CompiledPlan.h"
#include "tests/unit/ValueOf.h"

namespace dpl::test {

/// `cluster`: more fields of the cluster; `rest`: lines of the layout.
ir::Plan tinyPlan(const std::string& mesh, const std::string& rest,
                  const std::string& cluster = "");

} // namespace dpl::test
