//===- ThreadsTest.cpp - Work on several threads, also if none can be started -----------------===//
#include "support/Threads.h"
#include <gtest/gtest.h>
#include <numeric>
#include <pthread.h>
#include <vector>

using namespace dpl;

namespace {
/// The number of calls for each of a hundred numbers on eight threads.
std::vector<int> counted() {
  std::vector<int> times(100);
  onThreads(times.size(), 8, [&](unsigned worker, std::uint64_t i) {
    EXPECT_LT(worker, 8U);
    ++times[i];
  });
  return times;
}
} // namespace

TEST(Threads, EachNumberRunsOnce) { EXPECT_EQ(counted(), std::vector<int>(100, 1)); }

TEST(Threads, WhereNoneCanBeStarted_TheCallerDoesAll) {
  pthread_attr_t before, huge;
  ASSERT_EQ(pthread_getattr_default_np(&before), 0);
  pthread_attr_init(&huge);
  ASSERT_EQ(pthread_attr_setstacksize(&huge, std::size_t{1} << 50), 0);
  ASSERT_EQ(pthread_setattr_default_np(&huge), 0); // a stack larger than the address space
  pthread_t thread{};
  EXPECT_NE(pthread_create(
                &thread, nullptr, [](void*) -> void* { return nullptr; }, nullptr),
            0);
  const std::vector<int> times = counted();
  ASSERT_EQ(pthread_setattr_default_np(&before), 0);
  EXPECT_EQ(times, std::vector<int>(100, 1));
}
