#pragma once
//===- FoundFields.h - Open fields that `mesh = auto` found, as a file sets them --------------===//
#include "ir/Layout.h"

namespace dpl::ir {

/// The text of a recomputation that `mesh = auto` may find: "selective { modules = [norm] }".
std::string recomputeSetting(const Recompute& recompute);
/// A line such as "split = by_flop" for each field that was open and does not have its default.
std::vector<std::string> foundFields(const Layout& layout);

/// Fields that `mesh = auto` varied, and fields that a reader may expect it to vary but that it
/// kept.
struct VariedFields {
  std::vector<const char*> varied, kept;
};
VariedFields variedFields(const Layout& layout);

} // namespace dpl::ir
