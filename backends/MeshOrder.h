#pragma once
//===- MeshOrder.h - The rank orders that frameworks have -------------------------------------===//
#include "ir/Plan.h"
#include <string>

namespace dpl {

/// Whether the ranks of a grid are numbered in this order, given fastest axis first. An axis of
/// size 1 has no stride that matters; a grid without axes has every order.
bool hasOrder(const std::vector<ir::MeshAxis>& grid, std::initializer_list<ir::Axis> fastestFirst);

/// The order of the mesh as messages say it, outermost axis first and without axes of size 1:
/// "pipeline-data-tensor and those of experts pipeline-expert".
std::string orderText(const ir::Mesh& mesh);
std::string orderText(const std::vector<ir::MeshAxis>& grid);

} // namespace dpl
