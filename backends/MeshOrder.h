#pragma once
//===- MeshOrder.h - Rank orders of meshes ----------------------------------------------------===//
#include "ir/Plan.h"
#include <string>

namespace dpl {

/// Whether the ranks of a grid are numbered in this order, which lists the axis with the smallest
/// stride first. Axes of size 1 are ignored. A grid without axes has every order.
bool hasOrder(const std::vector<ir::MeshAxis>& grid, std::initializer_list<ir::Axis> fastestFirst);

/// The order of the mesh's axes for messages, outermost axis first, without axes of size 1:
/// "pipeline-data-tensor and those of experts pipeline-expert".
std::string orderText(const ir::Mesh& mesh);
std::string orderText(const std::vector<ir::MeshAxis>& grid);

} // namespace dpl
