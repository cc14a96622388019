//===- Mesh.h - Coordinates of a rank and members of its groups -------------------------------===//
#pragma once
#include "Tables.h"
#include <string>
#include <vector>

namespace twin {

/// The place of a rank in a group, which contains the ranks along some of the axes.
struct Membership {
  bool member;         ///< whether the rank is in a group; only the first and last stage are in
                       ///< embedding groups
  std::uint64_t base;  ///< first rank of the group, which depends on the coordinates on the other
                       ///< axes
  std::uint64_t index; ///< index in the group
};

inline Membership membershipIn(const Plan& plan, const Group& group, std::uint64_t rank) {
  Membership m{true, rank, 0};
  for (std::size_t i = 0; i < group.factors; ++i) {
    const Factor& f = plan.factors[group.firstFactor + i];
    // `unit` is the stride of the axis. It is less than the distance of members if the group skips
    // ranks.
    const std::uint64_t unit = f.period - f.stride * (f.count - 1);
    if (f.mirrored) {
      const std::uint64_t place = rank % f.period / unit, opposite = f.stride / unit - place;
      m.base -= place > opposite ? (place - opposite) * unit : 0;
      m.index = m.index * 2 + (place > opposite ? 1 : 0);
      continue;
    }
    const std::uint64_t inAxis = rank % f.period, step = inAxis / f.stride;
    if (step >= f.count || inAxis - step * f.stride >= unit)
      m.member = false;
    m.base -= step * f.stride;
    m.index = m.index * f.count + step;
  }
  return m;
}

/// The rank with index `index` in the group that begins at rank `base`.
inline std::uint64_t memberOf(const Plan& plan, const Group& group, std::uint64_t base,
                              std::uint64_t index) {
  for (std::size_t i = group.factors; i-- > 0;) {
    const Factor& f = plan.factors[group.firstFactor + i];
    // The two opposite ranks have equal distances from their ends of the axis.
    const std::uint64_t unit = f.period - f.stride * (f.count - 1);
    const std::uint64_t inward = f.mirrored ? base % f.period / unit * unit : 0;
    base += index % f.count * (f.stride - 2 * inward);
    index /= f.count;
  }
  return base;
}

inline std::uint64_t pipelineRankOf(const Plan& plan, std::uint64_t rank) {
  return rank / plan.pipelineStride % plan.pipelineRanks;
}

/// The rank with its coordinates: "rank 5 (pipeline 1, tensor 1)".
inline std::string nameOf(const Plan& plan, std::uint64_t rank) {
  std::string out;
  for (const Axis& axis : plan.axes)
    if (axis.size > 1)
      out += (out.empty() ? "" : ", ") + std::string(axis.name) + " " +
             std::to_string(rank / axis.stride % axis.size);
  return "rank " + std::to_string(rank) + (out.empty() ? "" : " (" + out + ")");
}

/// The operations of a pipeline rank, in order.
inline std::vector<Operation> operationsOf(const Plan& plan, std::uint64_t pipelineRank) {
  std::vector<Operation> list;
  const RankList& rank = plan.ranks[pipelineRank];
  for (std::size_t l = rank.firstLoop; l < rank.firstLoop + rank.loops; ++l) {
    const Loop& loop = plan.loops[l];
    for (std::uint64_t time = 0; time < loop.times; ++time)
      for (std::size_t i = 0; i < loop.operations; ++i) {
        list.push_back(plan.operations[loop.first + i]);
        list.back().microBatch += time;
      }
  }
  return list;
}

} // namespace twin
