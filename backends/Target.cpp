//===- Target.cpp - The list of targets, and what holds for all of them -----------------------===//
#include "backends/Target.h"
#include "ir/DataRanks.h"
#include "ir/Names.h"
#include "support/diagnostics/Targets.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <iterator>
using namespace dpl;

#define TARGET(NAME)                                                                               \
  namespace dpl::NAME {                                                                            \
  extern const Target target;                                                                      \
  }
#include "backends/Targets.def"
#undef TARGET

llvm::ArrayRef<const Target*> dpl::allTargets() {
  static const Target* const all[] = {
#define TARGET(NAME) &NAME::target,
#include "backends/Targets.def"
#undef TARGET
  };
  return all;
}

const Target* dpl::targetNamed(llvm::StringRef name) {
  const auto* const found =
      std::find_if(allTargets().begin(), allTargets().end(),
                   [&](const Target* target) { return name == target->name; });
  return found == allTargets().end() ? nullptr : *found;
}

std::function<bool(const ir::Layout&)> dpl::runsOf(const ir::Plan& plan) {
  const Target* target = targetNamed(plan.framework.name);
  if (!target || !target->runsSchedule)
    return {};
  return target->runsSchedule;
}

std::string dpl::writtenBy(const TargetRequest& request) {
  const std::string release = request.release.any() ? "" : " " + request.release.text();
  return fmt::format("Written by {} for {}{}", generatorName(), request.target.product, release);
}

std::string dpl::headerOf(const TargetRequest& request, llvm::StringRef mark) {
  return fmt::format("{0} {1}.\n{0} {2}; an edit is lost with the next emit.\n", mark.str(),
                     subjectOf(request.plan), writtenBy(request));
}

namespace {
/// 0.19 and 0.19.2 are the same release.
bool meet(const Release& a, const Release& b) { return a.covers(b) || b.covers(a); }

/// What PyTorch has for it in torch.distributed.algorithms.ddp_comm_hooks.
const char* hookFor(ir::CompressionKind kind) {
  switch (kind) {
  case ir::CompressionKind::Quantised:
    return "a training script of DistributedDataParallel registers `quantization_pertensor_hook`";
  case ir::CompressionKind::LowRank:
    return "a training script of DistributedDataParallel registers `powerSGD_hook`";
  case ir::CompressionKind::None:
  case ir::CompressionKind::TopK:
  case ir::CompressionKind::RandomK:
    break;
  }
  return "no hook of PyTorch's does it";
}

/// What a framework has instead, as the begin of a sentence: CPUOffloadPolicy of FSDP2
/// (torchtitan/parallelisms/parallelize_llama.py at 9dec370); ZeRO-Offload of DeepSpeed.
std::string ownOffload(llvm::StringRef target) {
  if (target == "torchtitan")
    return "its `enable_cpu_offload` takes parameters and gradients along, which the layout "
           "keeps; ";
  if (target == "deepspeed" || target == "accelerate")
    return "its `offload_optimizer` and `offload_param` are not written; ";
  return "";
}
} // namespace

LogicalResult dpl::checkFramework(const TargetRequest& request, DiagnosticEngine& diags) {
  const ir::Framework& framework = request.plan.framework;
  const ir::Layout& layout = request.plan.layout;
  if (request.target.role != TargetRole::Launcher && !layout.dataRanks.empty())
    return diags
        .report<diag::StepsTogether>(layout.rangeOf(ir::fieldOf(layout.dataRanks.front())),
                                     request.target.product)
        .help("`dplc simulate` and studies take such steps");
  if (request.target.role != TargetRole::Launcher && !layout.compression.empty())
    return diags
        .report<diag::GradientsWhole>(layout.rangeOf("compression"), request.target.product,
                                      ir::name(layout.compression.front().kind))
        .help(fmt::format("`dplc report`, `simulate` and studies predict it; {}",
                          hookFor(layout.compression.front().kind)));
  // Megatron-LM has rules of its own for it.
  if (request.target.role != TargetRole::Launcher && !layout.offload.empty() &&
      llvm::StringRef(request.target.name) != "megatron")
    return diags.report<diag::StaysOnDevice>(layout.rangeOf("offload"), request.target.product)
        .help(
            fmt::format("{}`dplc report` and studies predict it", ownOffload(request.target.name)));
  if (request.target.role == TargetRole::Framework && layout.postValidation)
    return diags
        .report<diag::UpdateWaits>(layout.rangeOf("post_validation"), request.target.product)
        .help("the MPI and NCCL programs run it");
  if (request.target.role != TargetRole::Framework || framework.name.empty())
    return LogicalResult::success();
  Release wanted;
  const bool own = framework.name == request.target.name;
  const bool any = framework.version.empty();
  const bool known = Release::parse(framework.version, wanted);
  if (own && (any || (known && meet(wanted, request.release))))
    return LogicalResult::success();
  const std::string release = request.release.any() ? "" : " " + request.release.text();
  return diags
      .report<diag::OtherFramework>(framework.range, request.plan.layout.name, framework.text(),
                                    request.target.product + release)
      .help(own ? "`emit TARGET@RELEASE` says which release"
                : fmt::format("a layout `from {}` with `framework = {}` is for it",
                              request.plan.layout.name, request.target.name));
}

std::string Target::releasesText() const {
  std::string out;
  for (const Release& release : releases)
    out += (out.empty() ? "" : " ") + release.text();
  return out;
}

LogicalResult dpl::checkRelease(const ir::Plan& plan, DiagnosticEngine& diags) {
  const Target* target = targetNamed(plan.framework.name);
  const std::string& version = plan.framework.version;
  Release wanted;
  if (!target && !version.empty() && !Release::parse(version, wanted))
    return diags.report<diag::UnknownRelease>(plan.framework.range, plan.framework.name, version,
                                              "months, as 2024.12");
  if (!target || version.empty() ||
      (Release::parse(version, wanted) &&
       llvm::any_of(target->releases, [&](const Release& r) { return meet(wanted, r); })))
    return LogicalResult::success();
  return diags
      .report<diag::UnknownRelease>(plan.framework.range, target->product, version,
                                    target->releasesText())
      .help("without `version` the newest is meant");
}

Release dpl::releaseFor(const Target& target, const ir::Plan& plan) {
  Release wanted;
  if (plan.framework.name == target.name && !plan.framework.version.empty() &&
      Release::parse(plan.framework.version, wanted))
    for (auto release = target.releases.rbegin(); release != target.releases.rend(); ++release)
      if (meet(wanted, *release))
        return *release;
  return target.newest();
}

LogicalResult dpl::check(const TargetRequest& request, DiagnosticEngine& diags) {
  if (checkFramework(request, diags).failed())
    return LogicalResult::failure();
  Findings findings(request, diags);
  request.target.check(request, findings);
  return findings.any() ? LogicalResult::failure() : LogicalResult::success();
}

FailureOr<std::vector<EmittedFile>> dpl::emit(const TargetRequest& request,
                                              DiagnosticEngine& diags) {
  if (check(request, diags).failed())
    return LogicalResult::failure();
  return request.target.render(request);
}
