//===- MeshOrder.cpp - Rank orders of meshes --------------------------------------------------===//
#include "backends/MeshOrder.h"
#include "ir/Names.h"

using namespace dpl;

bool dpl::hasOrder(const std::vector<ir::MeshAxis>& grid,
                   std::initializer_list<ir::Axis> fastestFirst) {
  std::uint64_t stride = 1;
  for (const ir::Axis wanted : fastestFirst)
    for (const ir::MeshAxis& axis : grid)
      if (axis.axis == wanted) {
        if (axis.size > 1 && axis.stride != stride)
          return false;
        stride *= axis.size;
      }
  return true;
}

std::string dpl::orderText(const std::vector<ir::MeshAxis>& grid) {
  std::string out;
  for (const ir::MeshAxis& axis : grid)
    if (axis.size > 1)
      out += (out.empty() ? "" : "-") + std::string(ir::name(axis.axis));
  return out;
}

std::string dpl::orderText(const ir::Mesh& mesh) {
  const std::string experts = orderText(mesh.expertAxes);
  return orderText(mesh.axes) + (experts.empty() ? "" : " and those of experts " + experts);
}
