//===- FlowsTest.cpp - A watcher is told of all work of a flow --------------------------------===//
#include "simulate/engine/Flows.h"
#include <gtest/gtest.h>

using namespace dpl::simulate;

namespace {
/// The work on each link that a watcher is told of. One flow for each size begins on a link of its
/// own, which carries a byte per picosecond.
std::vector<double> toldOf(const std::vector<double>& bytes) {
  EventQueue queue;
  Flows flows(std::vector<double>(bytes.size(), 1), queue);
  std::vector<double> told(bytes.size());
  flows.watch([&](llvm::ArrayRef<std::uint32_t> route, std::uint64_t, std::uint64_t, double work) {
    told[route.front()] += work;
  });
  queue.add(0, EventPhase::Begins, 0);
  while (!queue.empty()) {
    const Event event = queue.pop();
    if (Flows::isOwn(event))
      (void)flows.handle(event);
    else
      for (std::uint32_t link = 0; link < bytes.size(); ++link)
        (void)flows.begin(event.time(), {link}, bytes[link], link);
  }
  return told;
}
} // namespace

TEST(Flows, TellTheWatcher_OfEveryByte) {
  const std::vector<double> bytes = {1, 2, 1000};
  EXPECT_EQ(toldOf(bytes), bytes);
}
