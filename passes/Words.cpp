//===- Words.cpp - Phrases that messages of several passes share ------------------------------===//
#include "passes/Words.h"
#include "support/diagnostics/Layout.h"
#include <fmt/format.h>

using namespace dpl;

std::string dpl::showProduct(llvm::ArrayRef<std::uint64_t> factors) {
  const std::optional<std::uint64_t> all = product(factors);
  std::string text = fmt::format("{}", fmt::join(factors, " × "));
  if (factors.size() > 1)
    text += all ? fmt::format(" = {}", *all) : " is more than 2^64";
  return text;
}

std::string dpl::showQuotient(std::uint64_t over, std::uint64_t under) {
  return fmt::format("{} / {} = {:.6g}", over, under,
                     static_cast<double>(over) / static_cast<double>(under));
}

llvm::StringRef dpl::batchNoun(const ir::Layout& layout) {
  return layout.batchUnit == ir::BatchUnitKind::Sequences ? "sequences" : "samples";
}

std::string dpl::spelling(ir::Axis axis) {
  switch (axis) {
  case ir::Axis::ExpertData:
    return "experts.data";
  case ir::Axis::Expert:
    return "experts.expert";
  case ir::Axis::ExpertTensor:
    return "experts.tensor";
  default:
    return ir::name(axis);
  }
}

std::string dpl::pathOf(ir::Axis axis) { return "mesh." + spelling(axis); }

SourceRange dpl::rangeOf(const ir::Layout& layout, ir::Axis axis) {
  for (const auto* axes : {&layout.mesh.axes, &layout.mesh.experts})
    for (const ir::AxisRequest& request : *axes)
      if (request.axis == axis && request.range.valid())
        return request.range;
  return layout.rangeOf(pathOf(axis));
}

SourceRange dpl::valueRange(const ir::Layout& layout, const std::string& path) {
  const auto found = layout.ranges.find(path + "=");
  return found == layout.ranges.end() ? SourceRange{} : found->second;
}

DiagnosticEngine::InFlight dpl::withCluster(DiagnosticEngine::InFlight d, const ir::Plan& plan) {
  const ir::Cluster& c = plan.cluster;
  if (c.idleDevices > 0)
    return std::move(d).note<diag::FieldGivenHere>(
        plan.layout.rangeOf("devices"), "devices",
        fmt::format("{} of the {} of cluster `{}`", c.devices(), c.devices() + c.idleDevices,
                    c.name));
  return std::move(d).note<diag::ClusterDeclaredHere>(plan.layout.rangeOf("cluster"), c.name,
                                                      plural(c.nodes, "node"),
                                                      plural(c.gpusPerNode, "device"), c.devices());
}
