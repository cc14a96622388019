//===- LowerOptimizer.cpp - Lowers the optimizer of a layout or run ---------------------------===//
#include "frontend/sema/Lowering.h"

using namespace dpl;
using namespace dpl::sema;

void sema::lowerOptimizer(const ObjectFields& owner, ir::OptimizerKind kind, bool onlySet,
                          ir::OptimizerSettings& out) {
  const ObjectFields chosen = owner.object("optimizer");
  const auto read = [&](const char* field, double& into) {
    if (!onlySet || chosen.isSet(field))
      into = chosen.real(field);
  };
  if (kind == ir::OptimizerKind::Sgd) {
    read("momentum", out.momentum);
  } else {
    read("beta1", out.beta1);
    read("beta2", out.beta2);
    if (kind == ir::OptimizerKind::AdamW)
      read("weight_decay", out.weightDecay);
  }
  if (!chosen.has("lr"))
    return;
  ir::LearningRate rate;
  rate.given = true;
  rate.kind = choice(chosen, "lr", ir::LearningRateKind::Constant);
  const ObjectFields lr = chosen.object("lr");
  rate.warmup = lr.whole("warmup");
  rate.peak = lr.real(rate.kind == ir::LearningRateKind::Constant ? "value" : "peak");
  if (rate.kind != ir::LearningRateKind::Constant)
    rate.end = lr.real("end");
  out.learningRate = rate;
}
