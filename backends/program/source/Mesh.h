//===- Mesh.h - Where a rank stands, and with whom --------------------------------------------===//
#pragma once
#include "Tables.h"
#include <string>
#include <vector>

namespace twin {

/// The place of one rank among the groups of an axis subset.
struct Membership {
  bool member;         ///< only the first and the last stage are in an embedding group
  std::uint64_t base;  ///< the group's first rank, which names it: what the other axes leave
  std::uint64_t index; ///< place inside the group
};

inline Membership membershipIn(const Plan& plan, const Group& group, std::uint64_t rank) {
  Membership m{true, rank, 0};
  for (std::size_t i = 0; i < group.factors; ++i) {
    const Factor& f = plan.factors[group.firstFactor + i];
    // One step of the axis: the members' distance, or less where ranks between them are left out.
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

/// The rank that has the given place in the group that begins at `base`.
inline std::uint64_t memberOf(const Plan& plan, const Group& group, std::uint64_t base,
                              std::uint64_t index) {
  for (std::size_t i = group.factors; i-- > 0;) {
    const Factor& f = plan.factors[group.firstFactor + i];
    // Of two opposite ranks the first is so far from its end of the axis as the second from the
    // other.
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

/// "rank 5 (pipeline 1, tensor 1)".
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
