//===- Check.cpp - Whether Megatron-LM runs a plan --------------------------------------------===//
#include "backends/megatron/Rules.h"

using namespace dpl;
using namespace dpl::megatron;

namespace {

const char* whileIt(Stage stage) {
  switch (stage) {
  case Stage::Parse:
    return "parses its arguments";
  case Stage::Validate:
    return "validates its arguments";
  case Stage::Configure:
    return "makes its configuration";
  case Stage::Group:
    return "makes its process groups";
  case Stage::Build:
    return "builds the model";
  case Stage::Run:
    return "runs the first step";
  }
  return "";
}

} // namespace

llvm::ArrayRef<RuleInfo> dpl::megatron::allRules() {
  static constexpr RuleInfo all[] = {
#define MISSING(NAME, ID, FORMAT) rule::NAME::info,
#define REFUSED(NAME, ID, STAGE, ERROR, SINCE, FORMAT) rule::NAME::info,
#include "backends/megatron/Rules.def"
  };
  return all;
}

void Findings::issue(const RuleInfo& info, const std::string& path, const std::string& message) {
  const SourceRange at = plan.layout.rangeOf(path);
  if (!info.refused)
    diags.report<diag::TargetHasNoCounterpart>(at, "Megatron-LM", message);
  else
    diags.report<diag::TargetRefuses>(at, "Megatron-LM", message)
        .note<diag::TargetRule>(at, info.id, info.errorClass, whileIt(info.stage), info.since,
                                release);
}

LogicalResult dpl::megatron::check(const ir::Plan& plan, DiagnosticEngine& diags) {
  Findings findings(plan, diags);
  if (plan.model.isLayerList()) { // nothing of the rest has a meaning for it
    findings.report<rule::ModelKind>("", plan.model.name, plan.model.kind);
    return LogicalResult::failure();
  }
  const Shape shape(plan);
  checkModel(shape, findings);
  checkMesh(shape, findings);
  checkLayout(shape, findings);
  checkPrecision(shape, findings);
  return findings.any() ? LogicalResult::failure() : LogicalResult::success();
}
