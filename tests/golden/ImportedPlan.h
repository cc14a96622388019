#pragma once
//===- ImportedPlan.h - What an import has to bring back of a plan ----------------------------===//
#include <set>
#include <string>
#include <vector>

namespace dpl::test {

/// Arguments that set the framework of a plan. The framework's buffers may not fit, so that devices
/// get more memory.
std::vector<std::string> ofFramework(const std::string& file, const std::string& framework);

/// The errors of `check --target` about a file whose devices have enough memory; empty if the
/// target takes it.
std::string refusedBy(const std::string& target, const std::string& file);

/// The plan that a file compiles to, without what no launch says: names, the machine and what is
/// computed from it, within which level an axis stays, and how a split was asked for that is the
/// same layer by layer. `without` are further fields: "layout.vocab_multiple". Unless it is empty,
/// `framework` is set first, because an import names the framework of its file.
std::string importedPlan(const std::string& file, const std::set<std::string>& without = {},
                         const std::string& framework = "");

} // namespace dpl::test
