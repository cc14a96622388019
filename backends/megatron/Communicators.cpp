//===- Communicators.cpp - Options of Megatron-LM's NCCL communicators ------------------------===//
#include "backends/megatron/Communicators.h"
#include "backends/Yaml.h"

using namespace dpl;
using namespace dpl::megatron;

std::vector<std::string> dpl::megatron::overlappedGroups(const MegatronLayout& s) {
  const ir::Overlap& overlap = s.plan.layout.overlap;
  std::vector<std::string> groups;
  if (overlap.gradients || (overlap.parameters && s.zero > 0)) {
    // With several instances of the distributed optimizer, each has its own groups inside the
    // larger one.
    const bool instances = s.zero > 0 && s.replica > 1;
    if (s.dataRanks() * s.context > 1)
      groups.emplace_back("dp_cp");
    if (instances)
      groups.emplace_back("intra_dp_cp");
    if (s.routed && s.replica * s.expertData > 1)
      groups.emplace_back("ep_dp");
    if (s.routed && instances)
      groups.insert(groups.end(), {"intra_ep_dp", "inter_ep_dp"});
  }
  if (overlap.pipeline && s.pipeline > 1 && s.chunks > 1)
    groups.emplace_back("pp");
  if (overlap.experts && s.expert > 1)
    groups.emplace_back("ep");
  return groups;
}

std::string dpl::megatron::communicatorsFile(const TargetRequest& request,
                                             const MegatronLayout& layout) {
  const std::vector<std::string> groups = overlappedGroups(layout);
  if (groups.empty())
    return "";
  std::string out = headerOf(request);
  out += "# The groups whose collectives overlap with computation: their kernels go first.\n";
  Json settings;
  for (const std::string& group : groups)
    settings[group] = {{"is_high_priority_stream", true}};
  return out + yamlDocument(settings);
}
