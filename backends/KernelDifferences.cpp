//===- KernelDifferences.cpp ------------------------------------------------------------------===//
#include "backends/KernelDifferences.h"
#include "ir/Names.h"
#include "llvm/ADT/STLExtras.h"
#include <fmt/format.h>

using namespace dpl;

std::vector<std::string> dpl::kernelDifferences(const ir::Plan& plan, const ir::Kernels& runs,
                                                bool groupedExperts) {
  const ir::Kernels &asked = plan.layout.kernels, usual;
  std::vector<std::string> out;
  const auto add = [&](const char* field, const char* value) {
    out.push_back(fmt::format("`kernels.{} = {}` has no setting, the framework's own kernels run",
                              field, value));
  };
  const auto compare = [&](const char* field, auto ir::Kernels::*kernel) {
    if (asked.*kernel != usual.*kernel && asked.*kernel != runs.*kernel)
      add(field, ir::name(asked.*kernel));
  };
  compare("norm", &ir::Kernels::norm);
  if (plan.model.positions == ir::PositionKind::Rotary)
    compare("rotary", &ir::Kernels::rotary);
  compare("activation", &ir::Kernels::activation);
  compare("loss", &ir::Kernels::loss);
  const bool routed = llvm::any_of(plan.model.layerTypes, [](const ir::LayerType& layer) {
    return layer.feedForward.kind == ir::FeedForwardKind::Experts;
  });
  if (!routed)
    return out;
  compare("permutation", &ir::Kernels::permutation);
  compare("router", &ir::Kernels::router);
  compare("token_dispatcher", &ir::Kernels::dispatch);
  if (plan.layout.communication().groupedExperts && !groupedExperts)
    add("experts", "grouped");
  return out;
}
