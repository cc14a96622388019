//===- Check.cpp - Whether Megatron-LM runs a plan --------------------------------------------===//
#include "backends/megatron/Arguments.h"
#include "backends/megatron/Megatron.h"
#include "backends/megatron/Options.h"
#include "backends/megatron/Rules.h"

using namespace dpl;
using namespace dpl::megatron;

namespace dpl::megatron {
constexpr Release releases[] = {"0.15", "0.16", "0.17", "0.18", "0.19"};
constexpr NeededVariable needs[] = {{"MEGATRON_PATH", "a checkout of Megatron-LM"}};
constexpr const char* sets[] = {"CUDA_DEVICE_MAX_CONNECTIONS"};
extern const Target target;
const Target target{"megatron",
                    "Megatron-LM",
                    "launch script and options of pretrain_gpt.py",
                    releases,
                    rule::all,
                    check,
                    render,
                    TargetRole::Framework,
                    needs,
                    sets,
                    runsSchedule,
                    true,
                    true};
} // namespace dpl::megatron

namespace {
/// Checks, for a plan without other errors, whether the release has all its options. The order is
/// that of arguments.txt.
void checkOptions(const MegatronLayout& shape, Findings& findings) {
  for (const ArgumentGroup& group : argumentsOf(shape))
    for (const std::string& token : group.tokens)
      if (!hasOption(shape.release, token))
        findings.report<rule::ReleaseOption>("", token, releasesOfOption(token).text(),
                                             shape.release.text());
}
} // namespace

void dpl::megatron::check(const TargetRequest& request, Findings& findings) {
  const ir::Plan& plan = request.plan;
  if (plan.model.isLayerList()) { // other rules do not apply to lists of layers
    findings.report<rule::ModelKind>("", plan.model.name, plan.model.kind);
    return;
  }
  const MegatronLayout layout(plan, request.release);
  checkModel(layout, findings);
  checkFacts(layout, findings);
  checkMesh(layout, findings);
  checkLayout(layout, findings);
  checkPrecision(layout, findings);
  checkLaunch(layout, findings);
  if (!findings.any())
    checkOptions(layout, findings);
}
