#pragma once
//===- FoundFields.h - What `mesh = auto` found beside the degrees, as a file would say it ----===//
#include "ir/Layout.h"

namespace dpl::ir {

/// "selective { modules = [norm] }": a recomputation that `mesh = auto` may find.
std::string recomputeSetting(const Recompute& recompute);
/// "split = by_flop": a line for each field of the layout that was open and has not its default.
std::vector<std::string> foundFields(const Layout& layout);

/// Fields that `mesh = auto` varies or that a reader may think it does.
struct VariedFields {
  std::vector<const char*> varied, kept;
};
VariedFields variedFields(const Layout& layout);

} // namespace dpl::ir
