//===- WorkClass.cpp - What kernels compute, by their names -----------------------------------===//
#include "driver/compare/WorkClass.h"
using namespace dpl;
using namespace dpl::compare;

namespace {
struct NamedWork {
  llvm::StringLiteral part;
  WorkClass work;
};
constexpr NamedWork namedWorks[] = {
#define WORK(PART, CLASS) {PART, WorkClass::CLASS},
#include "driver/compare/WorkClasses.def"
#undef WORK
};

struct ClassNames {
  const char* name;
  const char* key;
};
constexpr ClassNames classNames[workClasses] = {
    {"GEMMs", "gemm"},
    {"GEMMs of experts", "expert_gemm"},
    {"attention", "attention"},
    {"norms", "norm"},
    {"rotary positions", "rotary"},
    {"activations", "activation"},
    {"other pointwise kernels", "pointwise"},
    {"casts and amax", "cast"},
    {"routing of tokens", "routing"},
    {"embedding", "embedding"},
    {"loss", "loss"},
    {"optimizer", "optimizer"},
    {"copies from and to the host", "host_copy"},
    {"exchanges of tokens", "expert_exchange"},
    {"collectives", "collective"},
    {"unknown", "other"},
};
} // namespace

const char* compare::nameOf(WorkClass work) {
  return classNames[static_cast<std::size_t>(work)].name;
}
const char* compare::keyOf(WorkClass work) {
  return classNames[static_cast<std::size_t>(work)].key;
}

WorkClass compare::classOf(llvm::StringRef name) {
  const std::string lower = name.lower();
  for (const NamedWork& named : namedWorks)
    if (llvm::StringRef(lower).contains(named.part))
      return named.work;
  return WorkClass::Other;
}

WorkClass compare::classOf(const cost::OperatorCost& op) {
  using Kind = cost::OperatorCost::OperatorKind;
  const llvm::StringRef name = op.name;
  if (op.kind == Kind::Matmul)
    return op.experts ? WorkClass::ExpertGemm : WorkClass::Gemm;
  if (op.kind == Kind::Attention || op.module == ir::ModuleKind::CoreAttention)
    return WorkClass::Attention;
  if (name.contains("norm"))
    return WorkClass::Norm;
  if (name == "rotary")
    return WorkClass::Rotary;
  if (name.contains("activation") || name == "clamp")
    return WorkClass::Activation;
  if (name == "loss")
    return WorkClass::Loss;
  if (name == "embedding")
    return WorkClass::Embedding;
  if (name.contains("permute") || name == "router" || name.contains("top-k") ||
      name == "merge parts")
    return WorkClass::Routing;
  if (name == "cast" || name.contains("quantize"))
    return WorkClass::Cast;
  return WorkClass::Pointwise;
}
