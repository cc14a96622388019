#pragma once
//===- KeepStep.h - Groups whose devices go through a pass together -----------------------===//
#include "ir/Plan.h"
#include <set>

namespace dpl::ir {

/// Groups whose members meet in every pass whose result others wait for, and all along it: the
/// slowest of them is as good as all. Who meets in one direction alone, such as for gradients of a
/// micro-batch, or leaves much of a pass behind the last meeting, sends on without waiting for the
/// others.
std::set<std::uint64_t> groupsThatKeepStep(const ir::Plan& plan);

/// Whether a group has members on several pipeline ranks.
bool crossesPipeline(const ir::Group& group);

/// The devices of a plan without the pipeline axis: a column has one device on each pipeline rank.
struct Columns {
  explicit Columns(const ir::Plan& plan);
  std::uint32_t deviceOf(std::uint32_t column, std::uint32_t pipelineRank) const {
    return column / stride * stride * ranks + pipelineRank * stride + column % stride;
  }
  std::uint32_t columnOf(std::uint64_t device) const {
    return static_cast<std::uint32_t>(device / (stride * std::uint64_t{ranks}) * stride +
                                      device % stride);
  }
  std::uint32_t stride = 1, ranks = 1, count = 1;
};

/// Groups whose members meet forward and backward, whatever they leave outside: who is slow in each
/// pass is waited for in each.
std::set<std::uint64_t> groupsThatMeet(const ir::Plan& plan);

/// Sets of columns that groups join: of each its columns in rising order.
std::vector<std::vector<std::uint32_t>> joinedColumns(const ir::Plan& plan,
                                                      const std::set<std::uint64_t>& groups);

} // namespace dpl::ir
