#pragma once
//===- AxisSet.h - Sets of mesh axes ----------------------------------------------------------===//
#include "ir/Plan.h"
#include "llvm/ADT/ArrayRef.h"

namespace dpl::cost {

/// A bit for each axis.
using AxisSet = unsigned;
template <class... Axes> constexpr AxisSet setOf(Axes... axes) {
  return (0U | ... | (1U << static_cast<unsigned>(axes)));
}
inline AxisSet setOfAll(llvm::ArrayRef<ir::Axis> axes) {
  AxisSet set = 0;
  for (const ir::Axis axis : axes)
    set |= setOf(axis);
  return set;
}
/// Axes with more than one rank.
inline AxisSet wideAxes(const ir::Mesh& mesh) {
  AxisSet wide = 0;
  for (const auto* grid : {&mesh.axes, &mesh.expertAxes})
    for (const ir::MeshAxis& axis : *grid)
      wide |= axis.size > 1 ? setOf(axis.axis) : 0;
  return wide;
}

} // namespace dpl::cost
