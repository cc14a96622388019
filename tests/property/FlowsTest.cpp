//===- FlowsTest.cpp - Shares of random networks are max-min fair -----------------------------===//
#include "simulate/engine/Flows.h"
#include "tests/property/RandomPlan.h"
#include <gtest/gtest.h>
#include <map>

using namespace dpl;
using namespace dpl::simulate;

namespace {
constexpr double slack = 1e-9;

/// No link carries more than it can, and each flow crosses a full link on which none is faster.
void expectFair(const Flows& flows, std::size_t links, std::uint64_t seed) {
  std::vector<double> used(links), fastest(links);
  std::map<std::uint32_t, int> running;
  for (std::uint32_t link = 0; link < links; ++link)
    for (const std::uint32_t flow : flows.on(link)) {
      used[link] += flows.rate(flow);
      fastest[link] = std::max(fastest[link], flows.rate(flow));
      running[flow] = 1;
    }
  for (std::uint32_t link = 0; link < links; ++link)
    ASSERT_LE(used[link], flows.capacity(link) * (1 + slack)) << seed;
  for (const auto& [flow, one] : running) {
    bool held = false;
    for (const std::uint32_t link : flows.route(flow))
      held = held || (used[link] >= flows.capacity(link) * (1 - slack) &&
                      flows.rate(flow) >= fastest[link] * (1 - slack));
    ASSERT_TRUE(held) << "flow " << flow << " of network " << seed;
  }
}
} // namespace

TEST(Flows, OfRandomNetworks_AreMaxMinFairAndMoveAllTheirWork) {
  for (std::uint64_t seed = 1; seed <= 10'000; ++seed) {
    test::Random random(seed);
    const std::size_t links = 1 + random.below(8), all = 1 + random.below(12);
    std::vector<double> capacities;
    for (std::size_t i = 0; i < links; ++i)
      capacities.push_back(random.between(0.1, 10));
    EventQueue queue;
    Flows flows(capacities, queue);
    for (std::size_t i = 0; i < all; ++i)
      queue.add(random.below(4) * 1000, EventPhase::Begins, i);
    // A link of every other network changes now and then.
    for (std::size_t i = 0; i < 3 * (seed % 2); ++i)
      queue.add(random.below(20) * 500, EventPhase::Begins, all + random.below(links));
    std::vector<std::uint32_t> number(all);
    std::vector<double> work(all), moved(all), rate(all);
    std::vector<char> running(all);
    std::uint64_t last = 0;
    std::size_t ended = 0;
    while (!queue.empty()) {
      const Event event = queue.pop();
      for (std::size_t i = 0; i < all; ++i)
        if (running[i])
          moved[i] += rate[i] * static_cast<double>(event.time() - last);
      last = event.time();
      if (!Flows::isOwn(event) && event.payload >= all) {
        flows.setCapacity(static_cast<std::uint32_t>(event.payload - all), random.between(0.1, 10),
                          last);
      } else if (!Flows::isOwn(event)) {
        std::vector<std::uint32_t> route;
        for (std::uint32_t link = 0; link < links; ++link)
          if (route.size() < Flows::mostLinks && random.oneIn(3))
            route.push_back(link);
        if (route.empty())
          route.push_back(static_cast<std::uint32_t>(random.below(links)));
        const std::size_t i = event.payload;
        work[i] = random.between(1, 1e5);
        number[i] = flows.begin(last, route, work[i], i);
        running[i] = 1;
      } else if (const auto done = flows.handle(event)) {
        const std::size_t i = *done;
        running[i] = 0;
        ++ended;
        // Ends are whole ps.
        ASSERT_NEAR(moved[i], work[i], 2 * rate[i] + 1e-6) << seed;
      }
      for (std::size_t i = 0; i < all; ++i)
        if (running[i])
          rate[i] = flows.rate(number[i]);
      const bool instantIsOver = event.payload >= Flows::ownPayloads + (Flows::ownPayloads - 1);
      if (instantIsOver) {
        ASSERT_NO_FATAL_FAILURE(expectFair(flows, links, seed));
      }
    }
    ASSERT_EQ(ended, all) << seed;
  }
}

// Of round numbers many end at one instant; whoever ends makes room for another one then.
TEST(Flows, ThatBeginWhenOthersEnd_AreMaxMinFair) {
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    test::Random random(seed);
    const std::size_t links = 2 + random.below(5);
    EventQueue queue;
    Flows flows(std::vector<double>(links, 1), queue);
    for (std::size_t i = 0; i < 6; ++i)
      queue.add(0, EventPhase::Begins, i);
    std::size_t begun = 0;
    const auto begin = [&](std::uint64_t now) {
      std::vector<std::uint32_t> route{static_cast<std::uint32_t>(random.below(links))};
      if (const auto other = static_cast<std::uint32_t>(random.below(links));
          other != route.front())
        route.push_back(other);
      flows.begin(now, route, static_cast<double>(12 * (1 + random.below(3))), begun++);
    };
    std::size_t ended = 0;
    while (!queue.empty()) {
      const Event event = queue.pop();
      if (!Flows::isOwn(event))
        begin(event.time());
      else if (flows.handle(event) && ++ended && begun < 40)
        begin(event.time());
      if (event.payload >= Flows::ownPayloads + (Flows::ownPayloads - 1)) {
        ASSERT_NO_FATAL_FAILURE(expectFair(flows, links, seed));
      }
    }
    ASSERT_EQ(ended, 40U) << seed;
  }
}

// What an ended run left changes nothing, not even by a ps.
TEST(Flows, BeginAgainAsAtTheBeginning) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const std::size_t links = 6, all = 40;
    std::vector<double> capacities;
    test::Random random(seed);
    for (std::size_t i = 0; i < links; ++i)
      capacities.push_back(random.between(0.1, 10));
    EventQueue queue;
    Flows used(capacities, queue);
    const auto run = [&](Flows& flows, std::uint64_t draws, std::size_t most) {
      test::Random route(draws);
      queue.clear();
      for (std::size_t i = 0; i < all; ++i)
        queue.add(route.below(20) * 500, EventPhase::Begins, i);
      std::vector<std::uint64_t> ends(all);
      for (std::size_t taken = 0; taken < most && !queue.empty(); ++taken) {
        const Event event = queue.pop();
        if (!Flows::isOwn(event))
          flows.begin(event.time(),
                      {static_cast<std::uint32_t>(route.below(links / 2)),
                       static_cast<std::uint32_t>(links / 2 + route.below(links / 2))},
                      route.between(1, 1e4), event.payload);
        else if (const auto done = flows.handle(event))
          ends[*done] = event.time();
      }
      return ends;
    };
    run(used, seed + 1000, random.below(120));
    used.clear();
    const std::vector<std::uint64_t> again = run(used, seed + 2000, 1'000'000);
    Flows fresh(capacities, queue);
    ASSERT_EQ(again, run(fresh, seed + 2000, 1'000'000)) << seed;
  }
}
