//===- Check.cpp - Whether Megatron-LM runs a plan --------------------------------------------===//
#include "backends/megatron/Megatron.h"
#include "backends/megatron/Rules.h"

using namespace dpl;
using namespace dpl::megatron;

namespace dpl::megatron {
constexpr Release releases[] = {"0.19"};
extern const Target target;
const Target target{"megatron", "Megatron-LM", "launch script and options of pretrain_gpt.py",
                    releases,   rule::all,     check,
                    render};
} // namespace dpl::megatron

void dpl::megatron::check(const TargetRequest& request, Findings& findings) {
  const ir::Plan& plan = request.plan;
  if (plan.model.isLayerList()) { // nothing of the rest has a meaning for it
    findings.report<rule::ModelKind>("", plan.model.name, plan.model.kind);
    return;
  }
  const Shape shape(plan);
  checkModel(shape, findings);
  checkMesh(shape, findings);
  checkLayout(shape, findings);
  checkPrecision(shape, findings);
}
