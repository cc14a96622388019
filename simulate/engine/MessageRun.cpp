//===- MessageRun.cpp - Messages between ranks in numbered steps ------------------------------===//
#include "simulate/engine/MessageRun.h"
#include <cmath>
#include <limits>

using namespace dpl::simulate;

namespace {
std::uint64_t payloadOf(std::uint32_t step, std::uint32_t number) {
  return std::uint64_t{number} << 32 | step;
}
std::uint32_t stepOf(std::uint64_t payload) { return static_cast<std::uint32_t>(payload); }
std::uint32_t numberOf(std::uint64_t payload) { return static_cast<std::uint32_t>(payload >> 32); }
} // namespace

MessageRun::MessageRun(const MessageSource& what, std::vector<double> capacities)
    : program(what), flows(std::move(capacities), queue), at(what.ranks()), pending(what.ranks()),
      work(flows.linkCount()) {}

bool MessageRun::advanceTogether(CommonStep& s, std::uint32_t number) {
  s.messages.clear();
  s.carried.clear();
  program.messages(number, s.messages);
  const std::uint32_t stamp = number + 1;
  std::uint32_t busy = 0; // number of ranks with messages
  std::uint64_t end = now;
  for (std::uint32_t i = 0; i < s.messages.size(); ++i) {
    const StepMessage& m = s.messages[i];
    route.clear();
    program.route(number, m, route);
    double rate = std::numeric_limits<double>::infinity();
    for (const std::uint32_t link : route) {
      if (std::exchange(s.stepOfLink[link], stamp) == stamp)
        return false;
      rate = std::min(rate, flows.capacity(link));
      s.carried.push_back({link, m.work});
    }
    const std::uint64_t ends =
        now + program.latency(number, i, m) + static_cast<std::uint64_t>(std::ceil(m.work / rate));
    if (i > 0 && ends != end)
      return false;
    end = ends;
    for (const std::uint32_t rank : {m.from, m.to})
      busy += std::exchange(s.stepOfRank[rank], stamp) != stamp ? 1 : 0;
  }
  if (!s.messages.empty() && busy < program.ranks())
    return false;
  for (const auto& [link, carries] : s.carried)
    work[link] += carries;
  together += s.messages.size(), handled += 2 * s.messages.size();
  now = last = end;
  return true;
}

std::uint64_t MessageRun::run() {
  CommonStep common{
      {}, {}, std::vector<std::uint32_t>(work.size()), std::vector<std::uint32_t>(at.size())};
  while (firstOpen < program.steps() && advanceTogether(common, firstOpen))
    ++firstOpen;
  std::fill(at.begin(), at.end(), firstOpen);
  for (std::uint32_t rank = 0; rank < program.ranks(); ++rank)
    advance(rank);
  while (!queue.empty()) {
    const Event event = queue.pop();
    ++handled;
    now = event.time();
    if (!Flows::isOwn(event))
      begin(event.payload);
    else if (const auto payload = flows.handle(event))
      end(*payload), last = now; // is not updated by void events, which may be later
  }
  return last;
}

void MessageRun::fill(OpenStep& s, std::uint32_t number) const {
  s.messages.clear();
  s.unfinished = 0;
  program.messages(number, s.messages);
  s.ready.assign(s.messages.size(), 0);
  // Counts are stored two places later. Placing the messages then moves each start index to its
  // place.
  s.first.assign(program.ranks() + 2, 0);
  for (const StepMessage& m : s.messages)
    ++s.first[m.from + 2], ++s.first[m.to + 2];
  for (std::size_t rank = 2; rank < s.first.size(); ++rank)
    s.first[rank] += s.first[rank - 1];
  s.ofRank.resize(2 * s.messages.size());
  for (std::uint32_t i = 0; i < s.messages.size(); ++i) {
    s.ofRank[s.first[s.messages[i].from + 1]++] = i;
    s.ofRank[s.first[s.messages[i].to + 1]++] = i;
  }
}

MessageRun::OpenStep& MessageRun::step(std::uint32_t number) {
  while (number >= firstOpen + open.size()) {
    if (spare.empty()) {
      open.emplace_back();
    } else {
      open.push_back(std::move(spare.back()));
      spare.pop_back();
    }
    fill(open.back(), firstOpen + static_cast<std::uint32_t>(open.size()) - 1);
  }
  return open[number - firstOpen];
}

void MessageRun::leave(std::uint32_t number) {
  if (++open[number - firstOpen].unfinished < program.ranks())
    return;
  assert(number == firstOpen && "who has left a step has left those before it");
  spare.push_back(std::move(open.front()));
  open.pop_front();
  ++firstOpen;
}

void MessageRun::advance(std::uint32_t rank) {
  while (at[rank] < program.steps()) {
    const std::uint32_t number = at[rank];
    OpenStep& s = step(number);
    pending[rank] = s.first[rank + 1] - s.first[rank];
    for (std::uint32_t i = s.first[rank]; i < s.first[rank + 1]; ++i) {
      const std::uint32_t message = s.ofRank[i];
      if (++s.ready[message] == 2)
        queue.add(now + program.latency(number, message, s.messages[message]), EventPhase::Begins,
                  payloadOf(number, message));
    }
    if (pending[rank] > 0)
      return;
    leave(number);
    ++at[rank];
  }
}

void MessageRun::begin(std::uint64_t payload) {
  const std::uint32_t number = stepOf(payload);
  const StepMessage& message = open[number - firstOpen].messages[numberOf(payload)];
  route.clear();
  program.route(number, message, route);
  for (const std::uint32_t link : route)
    work[link] += message.work;
  flows.begin(now, route, message.work, payload);
}

void MessageRun::end(std::uint64_t payload) {
  const std::uint32_t number = stepOf(payload);
  const StepMessage message = open[number - firstOpen].messages[numberOf(payload)];
  for (const std::uint32_t rank : {message.from, message.to})
    if (--pending[rank] == 0) {
      leave(number);
      ++at[rank];
      advance(rank);
    }
}
