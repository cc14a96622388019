#pragma once
//===- StoredOrder.h - The passes of a shape in an order that has been found once -------------===//
//
// In which order passes can run does not depend on their times, so what has been found of a shape
// is kept: each pass stands behind what it needs, and a sweep gives the times of any plan of that
// shape. The executor has run it once and many shapes run no more, so it is stored when it is
// swept.
#include "cost/schedules/Executor.h"
#include "ir/Limits.h"

namespace dpl::cost {

/// Of a sweep.
struct SweptRank {
  std::uint64_t begin = 0;   ///< ps when its first pass begins
  std::uint64_t end = 0;     ///< ps when the rank computes no more and has sent what it waits for
  std::uint64_t dataEnd = 0; ///< ps when the calls that its passes left behind are done
  std::uint64_t sending = 0; ///< ps that it waited for what it sent
  bool operator==(const SweptRank&) const = default;
};

class StoredOrder {
public:
  /// Of lists that an executor has run to their end, in the order that it has of them.
  StoredOrder(const ir::Placement& placement, std::uint64_t microBatches, OperationLists lists,
              const Executor& ran, ir::MicroBatchCosts costs = {});

  /// As Executor::run with overlapped or waiting sends. Of each rank the result stands in `ranks`,
  /// where that of the executor stood before.
  void sweep(llvm::ArrayRef<PieceTime> times, bool overlapped,
             llvm::ArrayRef<PieceClocks> clocks = {});
  llvm::ArrayRef<SweptRank> ranks() const { return swept; }
  std::size_t operations() const { return all; }

private:
  static constexpr std::uint32_t none = UINT32_MAX;
  struct Pass {
    std::uint32_t input = none;  ///< slot of the message that it needs
    std::uint32_t output = none; ///< slot of the one that it sends
    std::uint32_t kind = 0;      ///< of its piece: PassDurations::indexOf
    static constexpr unsigned rankBits = 27;
    static_assert(ir::mostDevices <= 1ULL << rankBits,
                  "an axis has at most as many ranks as a cluster has devices");
    std::uint32_t rank : rankBits = 0;
    std::uint32_t crosses : 1 = false, back : 1 = false; ///< a link, the one to the rank before
    std::uint32_t pairs : 1 = false;                     ///< with the next one
    std::uint32_t first : 1 = false, last : 1 = false;
  };
  static_assert(sizeof(Pass) == 16);
  void store();
  template <bool withData> void sweep(bool overlapped);
  /// When what the pass needs is there.
  std::uint64_t ready(const Pass& pass) const {
    return pass.input == none ? 0 : arrival[pass.input];
  }

  ir::Placement placement;
  std::uint64_t microBatches;
  OperationLists lists;       ///< until they are stored
  std::vector<Stretch> order; ///< and theirs
  ir::MicroBatchCosts costs;
  std::size_t all = 0; ///< passes

  std::vector<Pass> passes;
  std::vector<std::uint32_t> firstOf; ///< by rank, its first pass
  std::vector<std::uint64_t> arrival, links;
  std::vector<SweptRank> swept;
  PassDurations durations;
};

} // namespace dpl::cost
