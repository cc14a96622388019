#pragma once
//===- LaunchScript.h - Parts of launch.sh that all frameworks share --------------------------===//
#include "backends/Target.h"
#include <fmt/args.h>

namespace dpl {

/// The gradient norm to which frameworks clip, if they have such an option: the usual default.
constexpr double clippedNorm = 1;

/// The line that gives PyTorch's allocator segments that grow, unless the environment configures
/// it. Releases of PyTorch that also read PYTORCH_ALLOC_CONF still read this name.
constexpr const char* growingSegments =
    "export PYTORCH_CUDA_ALLOC_CONF=${PYTORCH_CUDA_ALLOC_CONF:-expandable_segments:True}\n";

/// Renders launch.sh from a framework's template. The template has the `{name}` fields below and
/// the fields that the target sets. Every field that is not a number ends with a newline.
///
///   header, world, nodes, gpus, release
///   mesh         "pipeline 4 × tensor 8", or "of one device"
///   differences  one comment line for each difference between the plan and the framework
///   variables    comment lines on the environment variables of the rendezvous
///   rendezvous   sets node_rank, master_addr and master_port. It is static, so that rank = node
///                rank × GPUs per node + local rank. Variables of CUDA and of PyTorch's allocator
///                that the layout sets follow
///   run          the text before the arguments of torchrun, from beforeTorchrun
class LaunchScript {
public:
  explicit LaunchScript(const TargetRequest& request,
                        const std::vector<std::string>& differences = {});

  LaunchScript& set(const char* name, std::string text);
  std::string render(const char* scriptTemplate) const;

private:
  fmt::dynamic_format_arg_store<fmt::format_context> fields;
};

/// Returns a sentence for each difference between the way in which the framework saves checkpoints
/// and the launch block. `deletes` says that it deletes old checkpoints, `async` that it writes
/// them during training.
std::vector<std::string> checkpointDifferences(const ir::Plan& plan, bool deletes, bool async);

/// Returns the shell text before the arguments of the last torchrun. The shell is replaced with
/// `exec`. If the launch gives notice before it ends, the shell stays and receives the signal.
std::string beforeTorchrun(const ir::Plan& plan);

} // namespace dpl
