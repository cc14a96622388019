#pragma once
//===- CachingAllocator.h - How PyTorch gives out device memory -------------------------------===//
#include <cstdint>
#include <deque>
#include <set>
#include <tuple>
#include <vector>

namespace dpl::cost {

/// The blocks of c10/cuda/CUDACachingAllocator.cpp, with its settings left alone: what is released
/// stays in its segment, which only as a whole goes back to the driver.
class CachingAllocator {
public:
  using BlockId = std::uint32_t;
  static constexpr BlockId none = ~BlockId{0};

  CachingAllocator() = default;
  /// Past so many bytes it gives back what it can before it takes a segment, as it does when the
  /// driver has no more.
  explicit CachingAllocator(std::uint64_t limit) : limit(limit) {}
  /// With `expandable_segments`: one segment for small blocks and one for large ones, which grow by
  /// whole pages.
  static CachingAllocator expandable() {
    CachingAllocator a;
    a.grows = true;
    return a;
  }
  /// `none` for no bytes.
  BlockId allocate(std::uint64_t bytes);
  void release(BlockId block);
  /// Another stream uses the block: released, it is free when the device has come that far.
  void record(BlockId block) { blocks[block].recorded = true; }
  /// When the host is here, and when the device has done what it has launched; both only rise.
  void at(double host, double device);
  /// The host waits until it has done that.
  void settle() { freedUntil(launched), launched = 0; }
  /// Gives segments in which nothing is left back to the driver, when the device has come to its
  /// host.
  void trim();

  std::uint64_t reserved() const { return segments; }      ///< bytes of its segments now
  std::uint64_t mostReserved() const { return most; }      ///< the same, since the beginning
  std::uint64_t allocated() const { return live; }         ///< of them in blocks that are given out
  std::uint64_t mostAllocated() const { return mostLive; } ///< the same, since the beginning
  bool passedLimit() const { return passed; } ///< asked for more than the limit at any time

private:
  struct BlockInfo {
    std::uint64_t bytes = 0;
    BlockId previous = none, next = none; ///< its neighbours in the segment
    bool small = false, free = true, recorded = false;
  };
  using FreeBlock = std::tuple<bool, std::uint64_t, BlockId>; ///< pool, bytes, block
  void insert(BlockId block);
  void erase(BlockId block);
  /// Joins a free block with the one behind it, and forgets that.
  void join(BlockId block);
  BlockId made(const BlockInfo& part);
  std::set<FreeBlock>::iterator bestFor(bool small, std::uint64_t size);
  void freed(BlockId block);
  void freedUntil(double time);
  BlockId segmentOf(std::uint64_t size);
  BlockId grown(bool small, std::uint64_t size);

  bool grows = false, passed = false;
  BlockId ends[2] = {none, none}; ///< the last blocks of the segments that grow, of large and small
  std::uint64_t limit = ~std::uint64_t{0};
  std::vector<BlockInfo> blocks;
  std::vector<BlockId> forgotten; ///< numbers to give out again
  std::set<FreeBlock> unused;
  std::deque<std::pair<double, BlockId>> late; ///< released, and used until then
  double launched = 0;                         ///< when the device has done all of it
  std::uint64_t segments = 0, most = 0, live = 0, mostLive = 0;
};

} // namespace dpl::cost
