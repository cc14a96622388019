#pragma once
//===- WorkClass.h - What kernels compute, by their names -------------------------------------===//
#include "cost/compute/LayerCost.h"
#include "llvm/ADT/StringRef.h"

namespace dpl::compare {

enum class WorkClass : std::uint8_t {
  Gemm,
  ExpertGemm,
  Attention,
  Norm,
  Rotary,
  Activation,
  Pointwise,
  Cast,
  Routing,
  Embedding,
  Loss,
  Optimizer,
  HostCopy,
  ExpertExchange,
  Collective,
  Other ///< no name that is known
};
constexpr std::size_t workClasses = static_cast<std::size_t>(WorkClass::Other) + 1;
/// The name in tables: "GEMMs", "GEMMs of experts".
const char* nameOf(WorkClass work);
/// The name in JSON: "gemm", "expert_gemm".
const char* keyOf(WorkClass work);

/// The class of a kernel or of an operator of PyTorch by its name.
WorkClass classOf(llvm::StringRef name);
/// The class of the kernels that an operator of a plan runs.
WorkClass classOf(const cost::OperatorCost& op);

} // namespace dpl::compare
