#pragma once
//===- FoundFields.h - Open fields that `mesh = auto` found, as a file sets them --------------===//
#include "ir/Layout.h"

namespace dpl::ir {

/// A recomputation as a file sets it: "selective { modules = [norm] }". The tensors of `save_only`
/// are left out.
std::string recomputeSetting(const Recompute& recompute);
/// A field of a layout and its value as a file sets it: "split" and "by_flop".
struct FoundField {
  std::string path, value;
};
/// The fields that were open and differ from their defaults, in the order of their lines, without
/// the mesh and the schedule.
std::vector<FoundField> foundValues(const Layout& layout);
/// The fields of foundValues as lines: "split = by_flop". Those of `shard` share a line.
std::vector<std::string> foundFields(const Layout& layout);

/// Fields that `mesh = auto` varied, and fields that a reader may expect it to vary but that it did
/// not.
struct VariedFields {
  std::vector<const char*> varied, fixed;
};
VariedFields variedFields(const Layout& layout);

} // namespace dpl::ir
