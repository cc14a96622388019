#pragma once
//===- CachingAllocator.h - A model of PyTorch's caching allocator for device memory ----------===//
#include <cstdint>
#include <deque>
#include <set>
#include <tuple>
#include <vector>

namespace dpl::cost {

/// Models the blocks and segments of c10/cuda/CUDACachingAllocator.cpp with default settings. A
/// released block stays in its segment, and only an empty segment goes back to the driver.
class CachingAllocator {
public:
  using BlockId = std::uint32_t;
  static constexpr BlockId none = ~BlockId{0};

  CachingAllocator() = default;
  /// Above `limit` bytes the allocator returns empty segments before it reserves another one.
  /// PyTorch does this when the driver is out of memory.
  explicit CachingAllocator(std::uint64_t limit) : limit(limit) {}
  /// The allocator with `expandable_segments`: one segment for small blocks and one for large
  /// blocks. Both grow by whole pages.
  static CachingAllocator expandable() {
    CachingAllocator a;
    a.grows = true;
    return a;
  }
  /// Returns `none` for 0 bytes.
  BlockId allocate(std::uint64_t bytes);
  void release(BlockId block);
  /// Marks a block that another stream uses. After `release` it becomes free when the device has
  /// finished all work that was launched before.
  void record(BlockId block) { blocks[block].recorded = true; }
  /// Sets the clocks: the time of the host, and the time at which the device will have finished the
  /// work launched so far. Both times only rise.
  void at(double host, double device);
  /// The host waits until the device has finished all launched work.
  void settle() { freedUntil(launched), launched = 0; }
  /// Returns empty segments to the driver after the host has waited for the device.
  void trim();

  std::uint64_t reserved() const { return segments; }      ///< bytes of all segments now
  std::uint64_t mostReserved() const { return most; }      ///< largest `reserved` so far
  std::uint64_t allocated() const { return live; }         ///< bytes of allocated blocks now
  std::uint64_t mostAllocated() const { return mostLive; } ///< largest `allocated` so far
  bool passedLimit() const { return passed; }              ///< a request has exceeded the limit

private:
  struct BlockInfo {
    std::uint64_t bytes = 0;
    BlockId previous = none, next = none; ///< neighbours in the segment
    bool small = false, free = true, recorded = false;
  };
  using FreeBlock = std::tuple<bool, std::uint64_t, BlockId>; ///< pool, bytes, block
  void insert(BlockId block);
  void erase(BlockId block);
  /// Merges a block with the free block that follows it in the segment.
  void join(BlockId block);
  BlockId made(const BlockInfo& part);
  std::set<FreeBlock>::iterator bestFor(bool small, std::uint64_t size);
  void freed(BlockId block);
  void freedUntil(double time);
  BlockId segmentOf(std::uint64_t size);
  BlockId grown(bool small, std::uint64_t size);

  bool grows = false, passed = false;
  BlockId ends[2] = {none, none}; ///< last blocks of the expandable segments, large and small
  std::uint64_t limit = ~std::uint64_t{0};
  std::vector<BlockInfo> blocks;
  std::vector<BlockId> forgotten; ///< indices of unused entries of `blocks`
  std::set<FreeBlock> unused;
  /// Released blocks and the time until which a stream uses them.
  std::deque<std::pair<double, BlockId>> late;
  double launched = 0; ///< time at which the device has finished all launched work
  std::uint64_t segments = 0, most = 0, live = 0, mostLive = 0;
};

} // namespace dpl::cost
