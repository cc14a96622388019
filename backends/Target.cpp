//===- Target.cpp - The list of targets, and checks that all of them share --------------------===//
#include "backends/Target.h"
#include "backends/DeviceKind.h"
#include "ir/DataRanks.h"
#include "ir/Month.h"
#include "ir/Names.h"
#include "support/diagnostics/Targets.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
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
/// Whether one of two releases covers the other, as 0.19 covers 0.19.2.
bool meet(const Release& a, const Release& b) { return a.covers(b) || b.covers(a); }

/// The communication hook of PyTorch (torch.distributed.algorithms.ddp_comm_hooks), as a sentence.
const char* hookFor(ir::CompressionKind kind) {
  switch (kind) {
  case ir::CompressionKind::Quantised:
    return "a training script of DistributedDataParallel registers `quantization_pertensor_hook`";
  case ir::CompressionKind::LowRank:
    return "a training script of DistributedDataParallel registers `powerSGD_hook`";
  case ir::CompressionKind::None:
  case ir::CompressionKind::TopK:
    break;
  }
  return "PyTorch has no communication hook for it";
}

/// Whether the files of a target support the layout's offloading. CPUOffloadPolicy of FSDP2
/// (torchtitan/parallelisms/parallelize_llama.py at 9dec370) needs several ranks and no CUDA
/// graphs. ZeRO-Offload of DeepSpeed sums the gradients of ZeRO stages 2 and 3 on the host.
/// Megatron-LM has its own rules.
bool acceptsOffload(llvm::StringRef target, const ir::Plan& plan) {
  const ir::Layout& layout = plan.layout;
  const ir::Offload offload = layout.offloadSettings();
  if (target == "megatron")
    return true;
  if (offload.layers > 0 || !layout.recompute.offloaded.empty())
    return false;
  return (target == "torchtitan" && offload.parameters && plan.stateRanks() > 1 &&
          !layout.graphs) ||
         (target == "deepspeed" && offload.gradients);
}
/// The offloading that the target supports, as the start of a sentence.
std::string ownOffload(llvm::StringRef target) {
  if (target == "torchtitan")
    return "its `enable_cpu_offload` is `offload { optimizer = 1, parameters = true }`, with "
           "several data ranks and without CUDA graphs; ";
  if (target == "deepspeed")
    return "its `offload_optimizer` is `offload { optimizer = 1, gradients = true }`, with "
           "`offload_param` `parameters = true`; ";
  if (target == "accelerate")
    return "dplc does not write `offload_optimizer` and `offload_param` of its plug-ins; ";
  return "";
}

/// Checks the kind of devices. Frameworks start PyTorch and need GPUs; `nccl` needs NVIDIA GPUs.
/// `mpi` runs on hosts, and a trace needs no device.
LogicalResult checkDevices(const TargetRequest& request, DiagnosticEngine& diags) {
  const bool cuda = llvm::StringRef(request.target.name).startswith("nccl");
  if (!cuda && request.target.role != TargetRole::Framework)
    return LogicalResult::success();
  const ir::Cluster& cluster = request.plan.cluster;
  for (const ir::NodeType& nodes : cluster.nodeTypes) {
    const DeviceKind kind = kindOf(cluster, nodes.device);
    if (isGpu(kind) && !(cuda && kind == DeviceKind::AmdGpu))
      continue;
    return diags
        .report<diag::OtherDevices>(request.plan.layout.rangeOf("cluster"), request.target.product,
                                    cuda ? "GPUs of NVIDIA" : "GPUs", nodes.device.name,
                                    wordOf(kind))
        .help(isGpu(kind)
                  ? "`emit mpi` and `emit trace` write files for any device"
                  : "dplc writes no framework for it; `emit mpi`, `trace` and `astra-sim` write "
                    "files for any device");
  }
  return LogicalResult::success();
}
} // namespace

LogicalResult dpl::checkFramework(const TargetRequest& request, DiagnosticEngine& diags) {
  const ir::Framework& framework = request.plan.framework;
  const ir::Layout& layout = request.plan.layout;
  if (checkDevices(request, diags).failed())
    return LogicalResult::failure();
  if (const ir::Launch* launch = request.plan.launch())
    if (const ir::Run& run = request.plan.runOf(*launch); run.problem() || run.numbers())
      return diags
          .report<diag::ProblemIsNotEmitted>(layout.rangeOf("run." + run.name + ".problem"),
                                             run.name)
          .help("`dplc study` finds the number of steps; write it as `steps` of the phase");
  if (request.target.role != TargetRole::Launcher && !layout.dataRanks.empty())
    return diags
        .report<diag::StepsTogether>(layout.rangeOf(ir::fieldOf(layout.dataRanks.front())),
                                     request.target.product)
        .help("`dplc simulate` and studies support this synchronization");
  if (request.target.role != TargetRole::Launcher && !layout.compression.empty())
    return diags
        .report<diag::GradientsWhole>(layout.rangeOf("compression"), request.target.product,
                                      ir::name(layout.compression.front().kind))
        .help(fmt::format("`dplc report`, `simulate` and studies predict it; {}",
                          hookFor(layout.compression.front().kind)));
  if (request.target.role == TargetRole::Framework &&
      layout.recompute.kind == ir::RecomputeKind::Saved)
    return diags
        .report<diag::NoPolicyByOperator>(layout.rangeOf("recompute"), request.target.product)
        .help("MaxText has it as `remat_policy`; `dplc report`, `simulate` and studies predict it");
  if (request.target.role != TargetRole::Launcher && layout.offloads() &&
      !acceptsOffload(request.target.name, request.plan)) {
    const char* field = layout.offload.empty() ? "recompute.offloaded" : "offload";
    return diags.report<diag::StaysOnDevice>(layout.rangeOf(field), request.target.product, field)
        .help(
            fmt::format("{}`dplc report` and studies predict it", ownOffload(request.target.name)));
  }
  if (request.target.role == TargetRole::Framework && layout.postValidation)
    return diags
        .report<diag::UpdateWaits>(layout.rangeOf("post_validation"), request.target.product)
        .help("the MPI and NCCL programs run it");
  if (request.target.role != TargetRole::Framework || framework.name.empty())
    return LogicalResult::success();
  const bool own = framework.name == request.target.name;
  const bool any = framework.version.empty();
  const std::optional<Release> wanted = Release::parse(framework.version);
  if (own && (any || (wanted && meet(*wanted, request.release))))
    return LogicalResult::success();
  const std::string release = request.release.any() ? "" : " " + request.release.text();
  return diags
      .report<diag::OtherFramework>(framework.range, request.plan.layout.name, framework.text(),
                                    request.target.product + release)
      .help(own ? "`emit TARGET@RELEASE` chooses the release"
                : fmt::format("write a layout `from {}` with `framework = {}` for it",
                              request.plan.layout.name, request.target.name));
}

std::string Target::releasesText() const {
  return llvm::join(llvm::map_range(releases, [](const Release& r) { return r.text(); }), " ");
}

LogicalResult dpl::checkRelease(const ir::Plan& plan, DiagnosticEngine& diags) {
  const Target* target = targetNamed(plan.framework.name);
  const std::string& version = plan.framework.version;
  const std::optional<Release> wanted = Release::parse(version);
  if (!target && !version.empty() && !ir::monthOf(version))
    return diags.report<diag::UnknownRelease>(plan.framework.range, plan.framework.name, version,
                                              "months, as 2024.12");
  if (!target || version.empty() ||
      (wanted &&
       llvm::any_of(target->releases, [&](const Release& r) { return meet(*wanted, r); })))
    return LogicalResult::success();
  return diags
      .report<diag::UnknownRelease>(plan.framework.range, target->product, version,
                                    target->releasesText())
      .help("without `version` the newest release is used");
}

Release dpl::releaseFor(const Target& target, const ir::Plan& plan) {
  const std::optional<Release> wanted = Release::parse(plan.framework.version);
  if (plan.framework.name == target.name && wanted)
    for (auto release = target.releases.rbegin(); release != target.releases.rend(); ++release)
      if (meet(*wanted, *release))
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
