#pragma once
//===- LaunchScript.h - What the launch.sh of every framework says alike ----------------------===//
#include "backends/Target.h"
#include <fmt/args.h>

namespace dpl {

/// What every framework that has a setting for it is told to clip the norm of gradients to: the
/// usual value, which is the default of most.
constexpr double clippedNorm = 1;

/// The launch.sh of a framework: a template whose `{name}` fields are those below and the target's
/// own. Every field but the numbers ends its own lines.
///
///   header, world, nodes, gpus, release
///   mesh         "pipeline 4 × tensor 8", or "of one device"
///   differences  a comment line for each
///   variables    comment lines: what the environment has to say of the rendezvous
///   rendezvous   sets node_rank, master_addr and master_port. It is static, so rank = node rank ×
///                GPUs of a node + local rank, and the mesh lies on the nodes as the plan says; one
///                node needs no names. What the layout asks of CUDA follows it
///   run          stands before the words of torchrun: beforeTorchrun
class LaunchScript {
public:
  explicit LaunchScript(const TargetRequest& request,
                        const std::vector<std::string>& differences = {});

  LaunchScript& set(const char* name, std::string text);
  std::string render(const char* scriptTemplate) const;

private:
  fmt::dynamic_format_arg_store<fmt::format_context> fields;
};

/// Where a framework that reads blocking and async of a run's checkpoints does otherwise with those
/// of the launch, one sentence each; `deletes` the old ones, and writes `async` beside training.
std::vector<std::string> checkpointDifferences(const ir::Plan& plan, bool deletes, bool async);

/// What stands before the words of a torchrun that a script ends with. It takes the place of the
/// shell, unless the launch gives notice: then the shell stays, to be told.
std::string beforeTorchrun(const ir::Plan& plan);

} // namespace dpl
