#pragma once
//===- MeshText.h - A mesh as a layout writes it ----------------------------------------------===//
#include "ir/Plan.h"

namespace dpl::ir {

/// The name of an axis as a field of `mesh` or `mesh.experts`: "data" for ExpertData.
const char* fieldOf(Axis axis);
/// The text of an axis with the size of the file or another size: "tensor = 8 within node".
std::string axisText(const AxisRequest& request);
std::string axisText(const AxisRequest& request, std::uint64_t size);
/// The text of the mesh that `mesh = auto` found, or of the one in the file.
std::string meshText(const Plan& plan);
/// The axes of the file: "mesh { data = rest, tensor = 8 within node, experts { … } }".
std::string meshText(const MeshRequest& mesh);

} // namespace dpl::ir
