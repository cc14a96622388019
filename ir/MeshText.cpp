//===- MeshText.cpp - A mesh as a layout writes it --------------------------------------------===//
#include "ir/MeshText.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::ir;

namespace {
std::string sized(const AxisRequest& request, const std::string& size) {
  std::string out = fmt::format("{} = {}", fieldOf(request.axis), size);
  if (request.hasWithin)
    out += fmt::format(" within {}", name(request.within));
  if (request.hasAcross)
    out += fmt::format(" across {}", name(request.across));
  return out;
}

AxisRequest requested(const MeshAxis& axis) {
  AxisRequest request;
  request.axis = axis.axis, request.size = axis.size;
  return request;
}

std::string listed(const std::vector<AxisRequest>& requests) {
  std::string out;
  for (const AxisRequest& request : requests)
    if (request.given)
      out += (out.empty() ? "" : ", ") + axisText(request);
  return out;
}
} // namespace

const char* ir::fieldOf(Axis axis) {
  return axis == Axis::ExpertData ? "data" : axis == Axis::ExpertTensor ? "tensor" : name(axis);
}

std::string ir::axisText(const AxisRequest& request) {
  return sized(request, request.rest ? "rest" : std::to_string(request.size));
}

std::string ir::axisText(const AxisRequest& request, std::uint64_t size) {
  return sized(request, std::to_string(size));
}

std::string ir::meshText(const Plan& plan) {
  if (!plan.mesh.found)
    return meshText(plan.layout.mesh);
  MeshRequest found;
  for (const MeshAxis& axis : plan.mesh.axes)
    if (axis.size > 1)
      found.axes.push_back(requested(axis));
  for (const MeshAxis& axis : plan.mesh.expertAxes)
    if (axis.axis >= Axis::ExpertData)
      found.experts.push_back(requested(axis));
  found.hasExperts = !found.experts.empty();
  return meshText(found);
}

std::string ir::meshText(const MeshRequest& mesh) {
  if (mesh.automatic)
    return "mesh = auto";
  const std::string dense = listed(mesh.axes), experts = listed(mesh.experts);
  if (!mesh.hasExperts)
    return fmt::format("mesh {{ {} }}", dense);
  return fmt::format("mesh {{ {}{}experts {{ {} }} }}", dense, dense.empty() ? "" : ", ", experts);
}
