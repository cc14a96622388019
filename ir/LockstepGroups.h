#pragma once
//===- LockstepGroups.h - Groups whose devices run in lockstep --------------------------------===//
#include "ir/Plan.h"
#include <set>

namespace dpl::ir {

/// Groups whose members meet several times in each action whose result other devices wait for, so
/// that all members are as slow as the slowest one. Groups that meet only in the forward or only in
/// the backward pass, such as for gradients, are not included. Nor are groups that compute much of
/// an action after its last collective, because their members continue without waiting for one
/// another.
std::set<GroupId> lockstepGroups(const ir::Plan& plan);

/// Whether a group has members on several pipeline ranks.
bool crossesPipeline(const ir::Group& group);

/// Numbers the columns of a plan. A column has one device of each pipeline rank, at the same
/// position of all other axes.
struct PipelineReplicas {
  explicit PipelineReplicas(const ir::Plan& plan);
  std::uint32_t deviceOf(std::uint32_t replica, std::uint32_t pipelineRank) const {
    return replica / stride * stride * ranks + pipelineRank * stride + replica % stride;
  }
  std::uint32_t replicaOf(std::uint64_t device) const {
    return static_cast<std::uint32_t>(device / (stride * std::uint64_t{ranks}) * stride +
                                      device % stride);
  }
  std::uint32_t stride = 1, ranks = 1, count = 1;
};

/// Groups whose members meet in both the forward and the backward pass, however much they compute
/// outside of these meetings. Each action waits for its slowest member.
std::set<GroupId> synchronizingGroups(const ir::Plan& plan);

/// The sets of columns that the groups join; the columns of each set are in rising order.
std::vector<std::vector<std::uint32_t>> joinedReplicas(const ir::Plan& plan,
                                                       const std::set<GroupId>& groups);

} // namespace dpl::ir
