#pragma once
//===- MeshText.h - A mesh as a layout writes it ----------------------------------------------===//
#include "ir/Plan.h"

namespace dpl::ir {

/// The field of `mesh` or of `mesh.experts` that an axis is: "data" for ExpertData.
const char* fieldOf(Axis axis);
/// "tensor = 8 within node", with the size that the file gives or with another one.
std::string axisText(const AxisRequest& request);
std::string axisText(const AxisRequest& request, std::uint64_t size);
/// The mesh that `mesh = auto` found, or else the one that the layout writes.
std::string meshText(const Plan& plan);
/// "mesh { data = rest, tensor = 8 within node, experts { … } }": the axes that the file gives.
std::string meshText(const MeshRequest& mesh);

} // namespace dpl::ir
