#pragma once
//===- ImportedPlan.h - What an import has to bring back of a plan ----------------------------===//
#include <set>
#include <string>
#include <vector>

namespace dpl::test {

/// Arguments that name the framework of a plan. What it holds may not fit any more, so that a
/// device has more memory.
std::vector<std::string> ofFramework(const std::string& file, const std::string& framework);

/// What `check --target` says of a file, whose devices have memory enough; empty where it takes it.
std::string refusedBy(const std::string& target, const std::string& file);

/// The plan that a file compiles to, without what no launch says: names, the machine and what is
/// computed from it, within which level an axis stays, and how a split was asked for that is the
/// same layer by layer. `without` are further fields: "layout.vocab_multiple". `framework` is set
/// first, unless it is empty: an import names the one that its file is of.
std::string importedPlan(const std::string& file, const std::set<std::string>& without = {},
                         const std::string& framework = "");

} // namespace dpl::test
