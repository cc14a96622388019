//===- LoadersTest.cpp - Who has the samples of a step ready, and when ------------------------===//
#include "simulate/engine/Loaders.h"
#include <gtest/gtest.h>

using namespace dpl::simulate;

namespace {
/// Steps that take so long, asked for one behind the other; what each waits for its samples.
std::vector<std::uint64_t> waitsOf(const LoaderShape& shape, std::uint64_t prepared,
                                   std::uint64_t step, std::size_t count) {
  Loaders loaders(shape, [&](std::uint32_t, std::uint32_t) { return prepared; });
  std::vector<std::uint64_t> waits;
  std::uint64_t now = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t last = now;
    for (const std::uint64_t taken : loaders.next(now))
      last = std::max(last, taken);
    waits.push_back(last - now);
    now = last + step;
  }
  return waits;
}
} // namespace

TEST(Loaders, WaitForWhatTheirTimeIsLongerThanAStep) {
  for (const std::uint64_t depth : {1, 2, 5}) {
    EXPECT_EQ(waitsOf({1, depth}, 300, 200, 4), (std::vector<std::uint64_t>{300, 100, 100, 100}));
    EXPECT_EQ(waitsOf({1, depth}, 100, 200, 4), (std::vector<std::uint64_t>{100, 0, 0, 0}));
  }
}

TEST(Loaders, ShareTheStorageEvenly) {
  // Four read 100 each of 1 a ps: all have theirs after 400.
  EXPECT_EQ(waitsOf({4, 1, 100, 1}, 50, 150, 3), (std::vector<std::uint64_t>{400, 250, 250}));
  // Preparing takes longer than that.
  EXPECT_EQ(waitsOf({4, 1, 100, 1}, 500, 150, 3), (std::vector<std::uint64_t>{500, 350, 350}));
}

TEST(Loaders, HaveNoMoreReadyThanThereIsRoomFor) {
  std::uint32_t begun = 0;
  Loaders loaders({1, 3}, [&](std::uint32_t, std::uint32_t step) {
    begun = step + 1;
    return 10;
  });
  EXPECT_EQ(loaders.next(1000).front(), 1000U);
  EXPECT_EQ(begun, 4U); // three were ready, one of them is gone
  // One slow batch is hidden by what is ready.
  Loaders uneven({1, 2}, [](std::uint32_t, std::uint32_t step) { return step == 3 ? 180 : 50; });
  std::uint64_t now = 500, waited = 0;
  for (int step = 0; step < 8; ++step) {
    const std::uint64_t taken = uneven.next(now).front();
    waited += taken - now, now = taken + 100;
  }
  EXPECT_EQ(waited, 0U);
}
