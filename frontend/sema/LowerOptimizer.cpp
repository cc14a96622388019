//===- LowerOptimizer.cpp - Lowers the optimizer of a layout or run ---------------------------===//
#include "frontend/sema/Lowering.h"
#include "ir/Arithmetic.h"
#include "support/diagnostics/Cost.h"
#include <cmath>

using namespace dpl;
using namespace dpl::sema;

/// The factor by which `batch_scaling` multiplies a learning rate.
static double batchFactor(Lowering& to, const ObjectFields& rate) {
  const llvm::StringRef rule = rate.choice("batch_scaling");
  if (rule == "none")
    return 1;
  const ObjectFields fields = rate.object("batch_scaling");
  const std::uint64_t base = lowerBatch(to, fields, "base", to.plan.layout.batchUnit);
  if (base == 0)
    return 1; // an error was reported
  const double ratio = ir::real(to.plan.layout.batch) / ir::real(base);
  if (rule != "linear")
    return std::sqrt(ratio);
  const ir::Lint& lint = to.plan.lint;
  if (ratio > lint.rateGrowth && rate.whole("warmup") == 0)
    (void)to.diags
        .report<diag::RateWithoutWarmup>(rate.range("batch_scaling"), ratio, lint.rateGrowth,
                                         lint.originOf("rate_growth"))
        .help("the linear rule holds after some steps at a lower rate: set `warmup`");
  return ratio;
}

void sema::lowerOptimizer(Lowering& to, const ObjectFields& owner, ir::OptimizerKind kind,
                          bool onlySet, ir::OptimizerSettings& out) {
  const ObjectFields chosen = owner.object("optimizer");
  const auto read = [&](const char* field, double& into) {
    if (!onlySet || chosen.isSet(field))
      into = chosen.real(field);
  };
  using enum ir::OptimizerKind;
  const bool averages = kind == AdamW || kind == Adam || kind == AdamW8Bit || kind == Lion;
  if (kind == Sgd || kind == Muon)
    read("momentum", out.momentum);
  if (averages)
    read("beta1", out.beta1), read("beta2", out.beta2);
  if ((averages && kind != Adam) || kind == Muon)
    read("weight_decay", out.weightDecay);
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
  else
    rate.peak *= batchFactor(to, lr);
  out.learningRate = rate;
}
