#pragma once
//===- Routes.h - Where the messages of the passes of each chunk go --------------------------===//
#include "ir/Plan.h"
#include <vector>

namespace dpl::cost {

/// What the forward or the backward passes of one copy need and make. Copies are numbered by
/// Placement::indexOf; `none` where nothing comes or goes.
struct Route {
  static constexpr std::uint32_t none = UINT32_MAX;
  std::uint32_t copy = none;                  ///< that runs them
  std::uint32_t from = none, fromRank = none; ///< the copy whose output they need
  std::uint32_t to = none, toRank = none;     ///< the copy that takes what they make
  std::uint32_t link = none, fromLink = none; ///< directed links that this crosses; none on a rank
  bool sends() const { return link != none; }
  bool receives() const { return fromLink != none; }
};

/// Of all copies of a placement, by rank, chunk and direction. A rank has a directed link to the
/// rank after it and one to the rank before: two each, numbered by 2 × rank.
class Routes {
public:
  explicit Routes(const ir::Placement& placement) { assign(placement); }
  Routes() = default;
  void assign(const ir::Placement& placement);

  /// Of the passes of one rank.
  class OfRank {
  public:
    explicit OfRank(const Route* first) : first(first) {}
    const Route& operator()(const ir::ScheduledOperation& op) const {
      return first[2 * op.chunk + (op.forward() ? 0 : 1)];
    }

  private:
    const Route* first;
  };
  std::uint64_t ranks() const { return all.size() / (2 * chunks); }
  OfRank ofRank(std::uint64_t rank) const { return OfRank(all.data() + 2 * rank * chunks); }
  const Route& of(std::uint64_t rank, const ir::ScheduledOperation& op) const {
    return ofRank(rank)(op);
  }

private:
  std::uint64_t chunks = 1;
  std::vector<Route> all;
};

} // namespace dpl::cost
