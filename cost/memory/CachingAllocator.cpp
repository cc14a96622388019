//===- CachingAllocator.cpp - A model of PyTorch's caching allocator for device memory --------===//
#include "cost/memory/CachingAllocator.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;

namespace {
constexpr std::uint64_t mebibyte = 1 << 20;
// PyTorch's kMinBlockSize, kSmallSize, kSmallBuffer, kMinLargeAlloc, kLargeBuffer, kRoundLarge, in
// this order.
constexpr std::uint64_t unit = 512, smallest = mebibyte, smallSegment = 2 * mebibyte,
                        dedicatedSegment = 10 * mebibyte, sharedSegment = 20 * mebibyte,
                        segmentUnit = 2 * mebibyte;

constexpr std::uint64_t roundedUp(std::uint64_t n, std::uint64_t to) {
  return (n + to - 1) / to * to;
}
std::uint64_t segmentFor(std::uint64_t bytes) {
  return bytes <= smallest          ? smallSegment
         : bytes < dedicatedSegment ? sharedSegment
                                    : roundedUp(bytes, segmentUnit);
}
} // namespace

void CachingAllocator::insert(BlockId block) {
  unused.emplace(blocks[block].small, blocks[block].bytes, block);
}
void CachingAllocator::erase(BlockId block) {
  unused.erase({blocks[block].small, blocks[block].bytes, block});
}

CachingAllocator::BlockId CachingAllocator::made(const BlockInfo& part) {
  if (forgotten.empty()) {
    blocks.push_back(part);
    return static_cast<BlockId>(blocks.size() - 1);
  }
  const BlockId block = forgotten.back();
  forgotten.pop_back();
  blocks[block] = part;
  return block;
}

/// Finds the smallest free block that is large enough. The last block of an expandable segment
/// counts as larger than every other one (get_free_block).
std::set<CachingAllocator::FreeBlock>::iterator CachingAllocator::bestFor(bool small,
                                                                          std::uint64_t size) {
  const auto isOfPool = [&](std::set<FreeBlock>::iterator entry) {
    return entry != unused.end() && std::get<0>(*entry) == small;
  };
  const auto fits = unused.lower_bound({small, size, 0});
  if (!isOfPool(fits))
    return unused.end();
  if (grows && std::get<2>(*fits) == ends[small])
    if (const auto next = std::next(fits); isOfPool(next))
      return next;
  return fits;
}

CachingAllocator::BlockId CachingAllocator::segmentOf(std::uint64_t size) {
  const std::uint64_t segment = segmentFor(size);
  if (segments + segment > limit)
    passed = true, trim();
  segments += segment;
  most = std::max(most, segments);
  return made({segment, none, none, size <= smallest});
}

/// Grows an expandable segment by the missing pages and returns its last block
/// (try_allocate_expandable_block).
CachingAllocator::BlockId CachingAllocator::grown(bool small, std::uint64_t size) {
  BlockId block = ends[small];
  if (block == none || !blocks[block].free) {
    const BlockId before = block;
    block = made({0, before, none, small});
    if (before != none)
      blocks[before].next = block;
    ends[small] = block;
  } else {
    erase(block);
  }
  const std::uint64_t more =
      roundedUp(size - blocks[block].bytes, small ? smallSegment : sharedSegment);
  segments += more;
  most = std::max(most, segments);
  blocks[block].bytes += more;
  return block;
}

CachingAllocator::BlockId CachingAllocator::allocate(std::uint64_t bytes) {
  if (bytes == 0)
    return none;
  const std::uint64_t size = roundedUp(bytes, unit);
  const bool small = size <= smallest;
  BlockId block = none;
  if (const auto fits = bestFor(small, size); fits != unused.end()) {
    block = std::get<2>(*fits);
    unused.erase(fits);
  } else {
    block = grows ? grown(small, size) : segmentOf(size);
  }
  const std::uint64_t rest = blocks[block].bytes - size;
  if (small || grows ? rest >= unit : rest > smallest) {
    const BlockId behind = made({rest, block, blocks[block].next, small});
    if (blocks[behind].next != none)
      blocks[blocks[behind].next].previous = behind;
    else if (grows)
      ends[small] = behind;
    blocks[block].next = behind;
    blocks[block].bytes = size;
    insert(behind);
  }
  blocks[block].free = false;
  live += blocks[block].bytes;
  mostLive = std::max(mostLive, live);
  return block;
}

void CachingAllocator::join(BlockId block) {
  const BlockId behind = blocks[block].next;
  blocks[block].bytes += blocks[behind].bytes;
  blocks[block].next = blocks[behind].next;
  if (blocks[block].next != none)
    blocks[blocks[block].next].previous = block;
  else if (grows)
    ends[blocks[block].small] = block;
  forgotten.push_back(behind);
}

void CachingAllocator::release(BlockId block) {
  if (block == none)
    return;
  if (blocks[block].recorded)
    late.emplace_back(launched, block);
  else
    freed(block);
}

void CachingAllocator::at(double host, double device) {
  launched = device;
  freedUntil(host);
}

void CachingAllocator::freedUntil(double time) {
  for (; !late.empty() && late.front().first <= time; late.pop_front()) {
    blocks[late.front().second].recorded = false;
    freed(late.front().second);
  }
}

void CachingAllocator::freed(BlockId block) {
  live -= blocks[block].bytes;
  blocks[block].free = true;
  if (const BlockId before = blocks[block].previous; before != none && blocks[before].free) {
    erase(before);
    join(before);
    block = before;
  }
  if (const BlockId behind = blocks[block].next; behind != none && blocks[behind].free) {
    erase(behind);
    join(block);
  }
  insert(block);
}

void CachingAllocator::trim() {
  settle();
  if (grows)
    return; // free pages of expandable segments count as reserved
  for (auto entry = unused.begin(); entry != unused.end();) {
    const BlockId block = std::get<2>(*entry);
    if (blocks[block].previous != none || blocks[block].next != none) {
      ++entry;
      continue;
    }
    segments -= blocks[block].bytes;
    forgotten.push_back(block);
    entry = unused.erase(entry);
  }
}
