#pragma once
//===- Neighbourhood.h - The layouts that differ from a plan by one change --------------------===//
#include "planner/AutoSchedule.h"
#include <string>
#include <vector>

namespace dpl::planner {

/// A field of a layout and its value in the syntax of `--set`: "mesh.tensor" and "8".
struct FieldSetting {
  std::string path, value;
};

/// One change of a layout.
struct LayoutChange {
  std::string text;                   ///< lines that the change writes, joined by commas
  std::vector<FieldSetting> settings; ///< the same change as settings of single fields
  std::function<void(ir::Layout&)> write;
  /// Whether the passes execute many steps to complete the change: for a balanced split, or for a
  /// schedule whose order depends on action times.
  bool searches = false;
  /// The field or block of the layout that the change sets: "recompute", "shard", "mesh".
  llvm::StringRef field() const { return llvm::StringRef(settings.front().path).split('.').first; }
};

/// The changes of docs/reference/advice.md: another ZeRO stage, sharding along the sequence,
/// recomputation, micro-batches from an eighth to eight times the size, another schedule or number
/// of chunks that `runs` accepts, another split, a prime factor of a degree moved to another axis,
/// an overlap that is off, another dispatcher of experts, and CUDA graphs. Fields that an `auto`
/// chooses are left out. The changes may be illegal. Relies on: a complete plan.
std::vector<LayoutChange> neighbourhood(const ir::Plan& plan, const SupportsSchedule& runs);

/// A plan without results whose layout has the fields that `auto` chose as if the file set them.
/// Assertions, runs, launches and search spaces are removed, because they belong to the layout of
/// the file.
ir::Plan restated(const ir::Plan& plan);

/// Sets the degree of an axis in a list of axes; an axis with `rest` keeps it. A new axis is
/// inserted in the order of the schema, as `--set` does.
void setDegree(std::vector<ir::AxisRequest>& axes, ir::Axis axis, std::uint64_t size);

/// A restated plan with a change, as if the file set its fields.
ir::Plan withChange(const ir::Plan& restated, const LayoutChange& change);

} // namespace dpl::planner
