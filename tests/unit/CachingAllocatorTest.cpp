//===- CachingAllocatorTest.cpp - PyTorch's allocator, by hand and against addresses ----------===//
#include "cost/memory/CachingAllocator.h"
#include "cost/memory/SegmentReplay.h"
#include "tests/unit/CompiledPlan.h"
#include <gtest/gtest.h>
#include <random>

using namespace dpl;
using cost::CachingAllocator;

namespace {
constexpr std::uint64_t KiB = 1 << 10, MiB = 1 << 20;
} // namespace

TEST(CachingAllocator, TakesSegmentsBySize) {
  CachingAllocator a;
  EXPECT_EQ(a.allocate(0), CachingAllocator::none);
  a.allocate(1);
  EXPECT_EQ(a.allocated(), 512U);
  a.allocate(MiB); // of the small ones the largest, beside the first
  EXPECT_EQ(a.reserved(), 2 * MiB);
  a.allocate(MiB);
  EXPECT_EQ(a.reserved(), 4 * MiB);
  a.allocate(MiB + 1), a.allocate(9 * MiB); // below 10 MiB they share a segment
  EXPECT_EQ(a.reserved(), 24 * MiB);
  a.allocate(10 * MiB), a.allocate(11 * MiB); // from there on each has its own, in whole 2 MiB
  EXPECT_EQ(a.reserved(), (24 + 10 + 12) * MiB);
}

TEST(CachingAllocator, SplitsWhatLeavesMoreThanAMebibyte) {
  CachingAllocator a;
  a.release(a.allocate(40 * MiB));
  const auto most = a.allocate(39 * MiB); // the rest goes with it
  EXPECT_EQ(a.allocated(), 40 * MiB);
  a.release(most);
  const auto less = a.allocate(39 * MiB - 512);
  EXPECT_EQ(a.allocated(), 39 * MiB - 512);
  a.allocate(MiB + 512); // which is left of it
  EXPECT_EQ(a.allocated(), a.reserved());
  a.release(less);
  a.allocate(20 * MiB);
  EXPECT_EQ(a.reserved(), 40 * MiB);
}

TEST(CachingAllocator, TakesTheSmallestThatFits) {
  CachingAllocator a;
  const auto large = a.allocate(100 * MiB), small = a.allocate(60 * MiB);
  a.release(large), a.release(small);
  a.allocate(50 * MiB); // of the 60
  a.allocate(100 * MiB);
  EXPECT_EQ(a.reserved(), 160 * MiB);
}

TEST(CachingAllocator, GivesBackWholeSegmentsOnly) {
  CachingAllocator a;
  const auto first = a.allocate(30 * MiB);
  a.release(first);
  const auto part = a.allocate(10 * MiB);
  a.trim();
  EXPECT_EQ(a.reserved(), 30 * MiB);
  a.release(part);
  a.trim();
  EXPECT_EQ(a.reserved(), 0U);
  EXPECT_EQ(a.mostReserved(), 30 * MiB);
}

TEST(CachingAllocator, WithSegmentsThatGrow_TakesPagesForWhatIsMissing) {
  CachingAllocator a = CachingAllocator::expandable();
  const auto first = a.allocate(30 * MiB);
  EXPECT_EQ(a.reserved(), 40 * MiB); // two pages, and 10 MiB of the second are free
  const auto second = a.allocate(25 * MiB);
  EXPECT_EQ(a.reserved(), 60 * MiB);
  a.release(first);
  a.allocate(31 * MiB); // does not fit into the hole: 5 MiB of the end, and two pages
  EXPECT_EQ(a.reserved(), 100 * MiB);
  a.release(second);
  a.allocate(50 * MiB); // of the hole of 55
  EXPECT_EQ(a.reserved(), 100 * MiB);
  a.allocate(1); // small ones have a segment of their own
  EXPECT_EQ(a.reserved(), 102 * MiB);
}

TEST(CachingAllocator, WithSegmentsThatGrow_TakesTheEndLast) {
  CachingAllocator a = CachingAllocator::expandable();
  const auto hole = a.allocate(30 * MiB);
  a.allocate(10 * MiB), a.allocate(10 * MiB); // 10 MiB are left at the end
  a.release(hole);
  a.allocate(9 * MiB); // of the hole, as the end counts as larger
  a.allocate(21 * MiB);
  EXPECT_EQ(a.reserved(), 60 * MiB);
}

TEST(CachingAllocator, PastItsLimit_FirstGivesBackWhatNothingIsIn) {
  CachingAllocator a(100 * MiB), free;
  for (CachingAllocator* const each : {&a, &free}) {
    each->release(each->allocate(40 * MiB));
    each->allocate(60 * MiB); // fits beside it
    each->allocate(41 * MiB); // fits only in its place
  }
  EXPECT_EQ(a.reserved(), 102 * MiB);
  EXPECT_EQ(free.reserved(), 142 * MiB);
}

TEST(CachingAllocator, WhatACallUses_IsFreeWhenTheDeviceHasComeThatFar) {
  CachingAllocator a;
  const auto used = a.allocate(40 * MiB), other = a.allocate(40 * MiB);
  a.record(used);
  a.at(1, 5); // what is launched at 1 is done at 5
  a.release(used), a.release(other);
  EXPECT_EQ(a.allocated(), 40 * MiB);
  a.allocate(40 * MiB); // where the other was
  a.at(4, 6);
  const auto third = a.allocate(40 * MiB);
  EXPECT_EQ(a.reserved(), 120 * MiB);
  a.at(5, 7);
  a.allocate(40 * MiB); // where it was
  EXPECT_EQ(a.reserved(), 120 * MiB);
  a.record(third), a.release(third);
  EXPECT_EQ(a.allocated(), 120 * MiB);
  a.settle();
  EXPECT_EQ(a.allocated(), 80 * MiB);
}

TEST(CachingAllocator, PastItsLimit_WaitsForTheDeviceFirst) {
  CachingAllocator a(100 * MiB);
  const auto used = a.allocate(60 * MiB);
  a.record(used);
  a.at(0, 9);
  a.release(used);
  a.allocate(60 * MiB);
  EXPECT_EQ(a.reserved(), 60 * MiB);
}

/// The same segments as lists of addresses.
class Addresses {
public:
  struct Place {
    std::size_t segment = 0;
    std::uint64_t begin = 0;
  };
  /// Nothing where two blocks fit equally well: which of them is taken is not said.
  std::optional<Place> allocate(std::uint64_t size) {
    const bool small = size <= MiB;
    std::size_t in = segments.size(), at = 0;
    std::uint64_t best = ~std::uint64_t{0};
    bool tie = false;
    for (std::size_t s = 0; s < segments.size(); ++s)
      for (std::size_t r = 0; r < segments[s].ranges.size(); ++r) {
        const Range& range = segments[s].ranges[r];
        if (segments[s].small != small || !range.free || range.size() < size)
          continue;
        tie = range.size() == best || (tie && range.size() > best);
        if (range.size() < best)
          best = range.size(), in = s, at = r;
      }
    if (tie)
      return std::nullopt;
    if (in == segments.size()) {
      const std::uint64_t whole = small             ? 2 * MiB
                                  : size < 10 * MiB ? 20 * MiB
                                                    : (size + 2 * MiB - 1) / (2 * MiB) * 2 * MiB;
      segments.push_back({small, {{0, whole, true}}});
      held += whole;
    }
    std::vector<Range>& ranges = segments[in].ranges;
    const std::uint64_t rest = ranges[at].size() - size;
    if (small ? rest >= 512 : rest > MiB) {
      const Range behind{ranges[at].begin + size, ranges[at].end, true};
      ranges[at].end = behind.begin;
      ranges.insert(ranges.begin() + static_cast<std::ptrdiff_t>(at) + 1, behind);
    }
    ranges[at].free = false;
    used += ranges[at].size();
    return Place{in, ranges[at].begin};
  }
  void release(const Place& place) {
    std::vector<Range>& ranges = segments[place.segment].ranges;
    for (Range& range : ranges)
      if (range.begin == place.begin)
        range.free = true, used -= range.size();
    for (std::size_t i = 1; i < ranges.size();)
      if (ranges[i - 1].free && ranges[i].free) {
        ranges[i - 1].end = ranges[i].end;
        ranges.erase(ranges.begin() + static_cast<std::ptrdiff_t>(i));
      } else {
        ++i;
      }
  }
  std::uint64_t held = 0, used = 0;

private:
  struct Range {
    std::uint64_t begin = 0, end = 0;
    bool free = true;
    std::uint64_t size() const { return end - begin; }
  };
  struct Segment {
    bool small = false;
    std::vector<Range> ranges;
  };
  std::vector<Segment> segments;
};

TEST(CachingAllocator, OfRandomRequests_IsThatOfAddresses) {
  std::mt19937 random(7);
  CachingAllocator allocator;
  Addresses addresses;
  std::vector<std::pair<CachingAllocator::BlockId, Addresses::Place>> live;
  unsigned allocated = 0;
  for (unsigned turn = 0; turn < 20'000; ++turn) {
    if (live.size() > 40 || (!live.empty() && random() % 2 == 0)) {
      std::swap(live[random() % live.size()], live.back());
      allocator.release(live.back().first);
      addresses.release(live.back().second);
      live.pop_back();
    } else {
      const std::uint64_t most = random() % 2 == 0 ? 2 * KiB : 80 * KiB; // 1 and 40 MiB
      const std::uint64_t size = 512 * (1 + random() % most);
      if (const auto place = addresses.allocate(size)) {
        live.emplace_back(allocator.allocate(size), *place);
        ++allocated;
      }
    }
    ASSERT_EQ(allocator.allocated(), addresses.used) << turn;
    ASSERT_EQ(allocator.reserved(), addresses.held) << turn;
  }
  EXPECT_GT(allocated, 5'000U);
}

namespace {
/// Four layers of 2^25 weights, which keep so many bytes, on a device alone.
ir::Plan listOf(const std::string& fields, std::uint64_t keptMiB) {
  return test::completedPlan(
      "plan.dpl",
      "import std.models\nimport std.clusters\n"
      "model net from models.layer_list {\n  layer[0] { name = \"a\", repeat = 4, "
      "parameters = 33_554_432, forward = 1GFLOP, saved_activations = " +
          std::to_string(keptMiB) +
          "MiB }\n}\ncluster pod from clusters.dgx_h100 { nodes = 1 }\n"
          "layout plan for net on pod {\n  devices = 1\n  mesh { data = 1 }\n  batch = 4sample\n"
          "  micro_batch = 1sample\n  " +
          fields + "\n}\n");
}
std::uint64_t heldOf(const ir::Plan& plan, std::uint64_t rank = 0) {
  return cost::segmentsOf(plan, plan.memory[rank])->reserved;
}
/// Weights of 64 MiB each, gradients and master weights of 512 MiB, the workspace of 64 MiB.
constexpr std::uint64_t states = (4 * 64 + 512 + 512 + 64) * MiB, moments = 8 * 128 * MiB;
} // namespace

TEST(SegmentReplay, MomentsTakeThePlaceOfActivations) {
  // None of the moments fits where the first step's activations were.
  EXPECT_EQ(heldOf(listOf("", 100)), states + 4 * 100 * MiB + moments);
  // Four do, and the activations of the second step need segments of their own.
  EXPECT_EQ(heldOf(listOf("", 128)), states + 4 * 128 * MiB + moments);
  // Of larger ones a rest stays that neither fits in.
  EXPECT_EQ(heldOf(listOf("", 160)), states + 2 * 4 * 160 * MiB + moments - 4 * 128 * MiB);
  // Of twice the size two fit in each.
  EXPECT_EQ(heldOf(listOf("", 256)), states + 4 * 256 * MiB + moments);
}

TEST(SegmentReplay, LogitsAreOnceWhatTheLossKeepsAndWorksWith) {
  for (const char* loss : {"fused", "in_place", "copied", "chunked"}) {
    const ir::Plan plan = test::completedPlan(
        "plan.dpl", std::string("import std.models\nimport std.clusters\n"
                                "cluster pod from clusters.dgx_h100 { nodes = 1 }\n"
                                "layout plan for models.gpt2_small on pod {\n  mesh { data = 8 }\n"
                                "  batch = 256seq\n  micro_batch = 32seq\n  recompute = full\n"
                                "  kernels.loss = ") +
                        loss + "\n}\n");
    const ir::RankMemory& memory = plan.memory[0];
    const std::uint64_t logits = 32 * 1024 * std::uint64_t{50'304} * 2;
    const std::uint64_t used = cost::segmentsOf(plan, memory)->allocated,
                        account = memory.peak() - memory.reserved;
    EXPECT_LT(used, account + logits / 2) << loss;
    EXPECT_GT(used + logits, account) << loss;
  }
}
