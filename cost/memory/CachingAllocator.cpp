//===- CachingAllocator.cpp - How PyTorch gives out device memory -----------------------------===//
#include "cost/memory/CachingAllocator.h"
#include "ir/Basics.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;

namespace {
constexpr std::uint64_t mebibyte = 1 << 20;
// kMinBlockSize, kSmallSize, kSmallBuffer, kMinLargeAlloc, kLargeBuffer, kRoundLarge.
constexpr std::uint64_t unit = 512, smallest = mebibyte, smallSegment = 2 * mebibyte,
                        ownSegment = 10 * mebibyte, sharedSegment = 20 * mebibyte,
                        segmentUnit = 2 * mebibyte;

constexpr std::uint64_t roundedUp(std::uint64_t n, std::uint64_t to) {
  return (n + to - 1) / to * to;
}
std::uint64_t segmentFor(std::uint64_t bytes) {
  return bytes <= smallest    ? smallSegment
         : bytes < ownSegment ? sharedSegment
                              : roundedUp(bytes, segmentUnit);
}
} // namespace

void CachingAllocator::insert(Block block) {
  unused.emplace(parts[block].small, parts[block].bytes, block);
}
void CachingAllocator::erase(Block block) {
  unused.erase({parts[block].small, parts[block].bytes, block});
}

CachingAllocator::Block CachingAllocator::made(const Part& part) {
  if (forgotten.empty()) {
    parts.push_back(part);
    return static_cast<Block>(parts.size() - 1);
  }
  const Block block = forgotten.back();
  forgotten.pop_back();
  parts[block] = part;
  return block;
}

/// The smallest free block that is large enough. The end of a segment that grows counts as larger
/// than every other (get_free_block).
std::set<CachingAllocator::Entry>::iterator CachingAllocator::bestFor(bool small,
                                                                      std::uint64_t size) {
  const auto isOfPool = [&](std::set<Entry>::iterator entry) {
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

CachingAllocator::Block CachingAllocator::segmentOf(std::uint64_t size) {
  const std::uint64_t segment = segmentFor(size);
  if (segments + segment > limit)
    passed = true, trim();
  segments += segment;
  most = std::max(most, segments);
  return made({segment, none, none, size <= smallest});
}

/// The end of a segment with as many pages behind it as are missing
/// (try_allocate_expandable_block).
CachingAllocator::Block CachingAllocator::grown(bool small, std::uint64_t size) {
  Block block = ends[small];
  if (block == none || !parts[block].free) {
    const Block before = block;
    block = made({0, before, none, small});
    if (before != none)
      parts[before].behind = block;
    ends[small] = block;
  } else {
    erase(block);
  }
  const std::uint64_t more =
      roundedUp(size - parts[block].bytes, small ? smallSegment : sharedSegment);
  segments += more;
  most = std::max(most, segments);
  parts[block].bytes += more;
  return block;
}

CachingAllocator::Block CachingAllocator::allocate(std::uint64_t bytes) {
  if (bytes == 0)
    return none;
  const std::uint64_t size = roundedUp(bytes, unit);
  const bool small = size <= smallest;
  Block block = none;
  if (const auto fits = bestFor(small, size); fits != unused.end()) {
    block = std::get<2>(*fits);
    unused.erase(fits);
  } else {
    block = grows ? grown(small, size) : segmentOf(size);
  }
  const std::uint64_t rest = parts[block].bytes - size;
  if (small || grows ? rest >= unit : rest > smallest) {
    const Block behind = made({rest, block, parts[block].behind, small});
    if (parts[behind].behind != none)
      parts[parts[behind].behind].before = behind;
    else if (grows)
      ends[small] = behind;
    parts[block].behind = behind;
    parts[block].bytes = size;
    insert(behind);
  }
  parts[block].free = false;
  live += parts[block].bytes;
  mostLive = std::max(mostLive, live);
  return block;
}

void CachingAllocator::join(Block block) {
  const Block behind = parts[block].behind;
  parts[block].bytes += parts[behind].bytes;
  parts[block].behind = parts[behind].behind;
  if (parts[block].behind != none)
    parts[parts[block].behind].before = block;
  else if (grows)
    ends[parts[block].small] = block;
  forgotten.push_back(behind);
}

void CachingAllocator::release(Block block) {
  if (block == none)
    return;
  if (parts[block].recorded)
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
    parts[late.front().second].recorded = false;
    freed(late.front().second);
  }
}

void CachingAllocator::freed(Block block) {
  live -= parts[block].bytes;
  parts[block].free = true;
  if (const Block before = parts[block].before; before != none && parts[before].free) {
    erase(before);
    join(before);
    block = before;
  }
  if (const Block behind = parts[block].behind; behind != none && parts[behind].free) {
    erase(behind);
    join(block);
  }
  insert(block);
}

void CachingAllocator::trim() {
  settle();
  if (grows)
    return; // whose free pages are counted as held until they are used again
  for (auto entry = unused.begin(); entry != unused.end();) {
    const Block block = std::get<2>(*entry);
    if (parts[block].before != none || parts[block].behind != none) {
      ++entry;
      continue;
    }
    segments -= parts[block].bytes;
    forgotten.push_back(block);
    entry = unused.erase(entry);
  }
}
