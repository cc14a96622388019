//===- MessageRunTest.cpp - Messages of ranks, step by step -----------------------------------===//
#include "simulate/engine/MessageRun.h"
#include "support/math/Random.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace dpl::simulate;

namespace {
/// Written out: the messages of each step, and the links of each.
class Written final : public MessageSource {
public:
  struct Sent {
    StepMessage message;
    std::uint64_t latency = 0;
    FlowRoute links;
  };
  std::uint32_t count = 0;
  std::vector<std::vector<Sent>> all;

  std::uint32_t ranks() const override { return count; }
  std::uint32_t steps() const override { return static_cast<std::uint32_t>(all.size()); }
  void messages(std::uint32_t step, std::vector<StepMessage>& out) const override {
    for (const Sent& s : all[step])
      out.push_back(s.message);
  }
  std::uint64_t latency(std::uint32_t step, std::uint32_t number,
                        const StepMessage&) const override {
    return all[step][number].latency;
  }
  void route(std::uint32_t step, const StepMessage& m, FlowRoute& out) const override {
    for (const Sent& s : all[step])
      if (s.message.from == m.from && s.message.to == m.to)
        out = s.links;
  }
};

std::uint64_t timeOf(const Written& program, std::vector<double> capacities) {
  MessageRun run(program, std::move(capacities));
  return run.run();
}

/// The same rules as plainly as they can be said: all rates are worked out again whenever anything
/// begins or ends, by filling all links at one pace.
double plainTime(const Written& program, const std::vector<double>& capacities) {
  struct Flow {
    const Written::Sent* sent;
    std::uint32_t step;
    double begins, left, rate = 0;
  };
  std::vector<Flow> flows;
  std::vector<std::uint32_t> at(program.count, 0);
  std::vector<std::vector<bool>> begun(program.all.size());
  for (std::size_t s = 0; s < begun.size(); ++s)
    begun[s].resize(program.all[s].size());
  double now = 0;
  const auto isOpen = [&](std::uint32_t rank) { // a message of its step goes on or has not begun
    for (std::size_t i = 0; i < program.all[at[rank]].size(); ++i)
      if (const StepMessage& m = program.all[at[rank]][i].message;
          (m.from == rank || m.to == rank) && !begun[at[rank]][i])
        return true;
    for (const Flow& f : flows)
      if (f.step == at[rank] && (f.sent->message.from == rank || f.sent->message.to == rank))
        return true;
    return false;
  };
  for (;;) {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::uint32_t rank = 0; rank < program.count; ++rank)
        while (at[rank] < program.steps() && !isOpen(rank))
          ++at[rank], moved = true;
      for (std::uint32_t s = 0; s < program.steps(); ++s)
        for (std::size_t i = 0; i < program.all[s].size(); ++i) {
          const Written::Sent& sent = program.all[s][i];
          if (begun[s][i] || at[sent.message.from] != s || at[sent.message.to] != s)
            continue;
          begun[s][i] = true;
          flows.push_back({&sent, s, now + static_cast<double>(sent.latency), sent.message.work});
        }
    }
    if (flows.empty())
      return now;
    std::vector<double> room = capacities;
    std::vector<Flow*> rising;
    for (Flow& f : flows)
      if (f.rate = 0; f.begins <= now)
        rising.push_back(&f);
    while (!rising.empty()) {
      std::vector<int> on(room.size(), 0);
      for (const Flow* f : rising)
        for (const std::uint32_t link : f->sent->links)
          ++on[link];
      double pace = INFINITY;
      for (std::size_t link = 0; link < room.size(); ++link)
        if (on[link] > 0)
          pace = std::min(pace, room[link] / on[link]);
      for (Flow* f : rising)
        f->rate += pace;
      for (std::size_t link = 0; link < room.size(); ++link)
        room[link] -= pace * on[link];
      std::erase_if(rising, [&](const Flow* f) {
        return std::any_of(f->sent->links.begin(), f->sent->links.end(), [&](std::uint32_t link) {
          return room[link] <= 1e-9 * capacities[link];
        });
      });
    }
    double next = INFINITY;
    for (const Flow& f : flows)
      next = std::min(next, f.begins > now ? f.begins : now + f.left / f.rate);
    for (Flow& f : flows)
      if (f.begins <= now)
        f.left -= f.rate * (next - now);
    now = next;
    std::erase_if(flows, [&](const Flow& f) { return f.begins < now && f.left <= 1e-6; });
  }
}

Written drawn(Draws& draws, std::size_t links) {
  Written program;
  program.count = static_cast<std::uint32_t>(2 + draws.next() % 6);
  program.all.resize(1 + draws.next() % 5);
  for (auto& step : program.all)
    for (std::uint32_t from = 0; from < program.count; ++from)
      for (std::uint32_t to = 0; to < program.count; ++to) {
        if (from == to || draws.next() % 3 > 0)
          continue;
        Written::Sent sent{{from, to, 1e6 * (1 + static_cast<double>(draws.next() % 9))},
                           draws.next() % 3 * 1'000'000,
                           {}};
        for (std::uint32_t link = 0; link < links; ++link)
          if (draws.next() % 3 == 0 || (link + 1 == links && sent.links.empty()))
            sent.links.push_back(link);
        step.push_back(std::move(sent));
      }
  return program;
}
} // namespace

// 25 GB/s, 100 and 300 MB at once: the first has ended after 8 ms, the second after 16.
TEST(MessageRun, TwoOnALink_ShareItUntilOneHasEnded) {
  Written program{};
  program.count = 4;
  program.all = {{{{0, 2, 100e6}, 0, {0}}, {{1, 3, 300e6}, 0, {0}}}};
  EXPECT_EQ(timeOf(program, {0.025}), 16'000'000'000U);
  program.all.push_back({{{0, 2, 250e6}, 0, {1}}}); // 10 ms on its own link
  EXPECT_EQ(timeOf(program, {0.025, 0.025}), 18'000'000'000U);
}

// x senders, a latency of a and d bytes each: a + x·d/B.
TEST(MessageRun, Incast_TakesTheSumAtTheReceiver) {
  for (std::uint32_t senders : {1U, 2U, 7U, 63U}) {
    Written program{};
    program.count = senders + 1;
    program.all.resize(1);
    for (std::uint32_t from = 1; from <= senders; ++from)
      program.all[0].push_back({{from, 0, 1e6}, 10'000'000, {from, 0}});
    EXPECT_EQ(timeOf(program, std::vector<double>(senders + 1, 0.025)),
              10'000'000U + senders * 40'000'000U);
  }
}

TEST(MessageRun, AMessage_WaitsForBothItsEnds) {
  Written program{};
  program.count = 3;
  program.all = {{{{0, 1, 10}, 0, {0}}}, {{{2, 1, 5}, 0, {1}}}};
  EXPECT_EQ(timeOf(program, {1, 1}), 15U);
  program.all = {{{{0, 1, 10}, 0, {0}}}, {{{1, 2, 5}, 0, {1}}}, {}, {{{2, 0, 4}, 3, {1}}}};
  EXPECT_EQ(timeOf(program, {1, 1}), 22U);
}

// A ring of five, where some steps have a slower message, one message less, or a link that two
// messages share: whatever all ranks do together first, times are those of the plain account.
TEST(MessageRun, StepsTogether_TakeAsLongAsStepsWithEvents) {
  constexpr std::uint32_t ranks = 5, steps = 12;
  Draws draws({23, 0, 0, 0});
  for (std::uint32_t odd = 0; odd <= steps; ++odd) {
    Written program{};
    program.count = ranks;
    program.all.resize(steps);
    for (std::uint32_t s = 0; s < steps; ++s)
      for (std::uint32_t from = 0; from < ranks; ++from)
        program.all[s].push_back({{from, (from + 1) % ranks, 1e6}, 1000, {from, ranks + from}});
    if (odd < steps) {
      std::vector<Written::Sent>& step = program.all[odd];
      switch (draws.next() % 3) {
      case 0:
        step[2].message.work = 3e6;
        break;
      case 1:
        step.erase(step.begin() + 2);
        break;
      default:
        step[2].links = step[1].links;
        break;
      }
    }
    const std::vector<double> capacities(2 * ranks, 2);
    MessageRun run(program, capacities);
    const auto time = static_cast<double>(run.run());
    EXPECT_NEAR(time, plainTime(program, capacities), 2.0 * ranks * steps) << odd;
    EXPECT_EQ(run.messages(), steps * ranks - (odd < steps && program.all[odd].size() < ranks));
    if (odd == steps) {
      EXPECT_EQ(time, steps * 501'000.0);
      EXPECT_EQ(run.events(), 2 * run.messages());
    }
  }
}

TEST(MessageRun, RandomMessages_TakeWhatAPlainAccountSays_AndArriveWhole) {
  Draws draws({17, 0, 0, 0});
  std::uint64_t shared = 0;
  for (int i = 0; i < 400; ++i) {
    std::vector<double> capacities;
    for (std::size_t link = 0, n = 1 + draws.next() % 5; link < n; ++link)
      capacities.push_back(0.5 + static_cast<double>(draws.next() % 8));
    const Written program = drawn(draws, capacities.size());
    MessageRun run(program, capacities);
    const auto time = static_cast<double>(run.run());
    std::vector<double> sent(capacities.size(), 0);
    std::uint64_t messages = 0;
    for (const auto& step : program.all)
      for (const Written::Sent& s : step) {
        ++messages;
        for (const std::uint32_t link : s.links)
          sent[link] += s.message.work;
      }
    // Ends are rounded up to whole units of time, one after the other.
    ASSERT_NEAR(time, plainTime(program, capacities), 2.0 * static_cast<double>(messages) + 2) << i;
    ASSERT_EQ(run.messages(), messages);
    for (std::size_t link = 0; link < sent.size(); ++link) {
      ASSERT_EQ(run.carried()[link], sent[link]);
      ASSERT_LE(sent[link], capacities[link] * time);
    }
    shared += run.shared();
  }
  EXPECT_GT(shared, 1000U);
}
