#pragma once
//===- MeshOrder.h - Rank orders of meshes ----------------------------------------------------===//
#include "ir/Plan.h"
#include <string>

namespace dpl {

/// Whether the ranks of a grid are numbered in this order, which is given fastest axis first. An
/// axis of size 1 is ignored; a grid without axes has every order.
bool hasOrder(const std::vector<ir::MeshAxis>& grid, std::initializer_list<ir::Axis> fastestFirst);

/// The order of the mesh for messages, outermost axis first, without axes of size 1:
/// "pipeline-data-tensor and those of experts pipeline-expert".
std::string orderText(const ir::Mesh& mesh);
std::string orderText(const std::vector<ir::MeshAxis>& grid);

} // namespace dpl
