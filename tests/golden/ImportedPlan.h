#pragma once
//===- ImportedPlan.h - What an import has to bring back of a plan ----------------------------===//
#include <set>
#include <string>

namespace dpl::test {

/// The plan that a file compiles to, without what no launch says: names, the machine and what is
/// computed from it, within which level an axis stays, and how a split was asked for that is the
/// same layer by layer. `without` are further fields: "layout.vocab_multiple".
std::string importedPlan(const std::string& file, const std::set<std::string>& without = {});

} // namespace dpl::test
