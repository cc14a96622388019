//===- StepMessages.cpp - Messages of a simulated step as flows -------------------------------===//
#include "simulate/plan/StepMessages.h"
#include <cmath>

using namespace dpl;
using namespace dpl::simulation;
using simulate::EventPhase;
using simulate::Flows;

// ---- programs

PreparedMessages::PreparedMessages(cost::MessageSequence of) : sequence(std::move(of)) {
  std::uint64_t begin = 0;
  for (const cost::MessagePhase& from : sequence.phases) {
    PreparedPhase& stage = phases.emplace_back();
    stage.begin = begin, stage.firstStep = steps, stage.firstMessage = messages;
    stage.first.assign(sequence.members + 2, 0);
    // Counts are stored two places later. Placing the messages then moves each start index to its
    // place.
    const auto eachEnd = [&](auto visit) {
      for (std::uint32_t i = 0; i < from.messages.size(); ++i) {
        visit(from.messages[i].from, i);
        if (from.messages[i].to != from.messages[i].from)
          visit(from.messages[i].to, i);
      }
    };
    eachEnd([&](std::uint32_t member, std::uint32_t) { ++stage.first[member + 2]; });
    for (std::size_t m = 2; m < stage.first.size(); ++m)
      stage.first[m] += stage.first[m - 1];
    stage.ofMember.resize(stage.first.back());
    eachEnd([&](std::uint32_t member, std::uint32_t i) {
      stage.ofMember[stage.first[member + 1]++] = i;
    });
    begin += from.time, steps += from.steps;
    messages += static_cast<std::uint32_t>(from.messages.size());
  }
}

std::uint64_t PreparedMessages::stepBegin(std::size_t stage, std::uint64_t step) const {
  const cost::MessagePhase& of = sequence.phases[stage];
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(Wide{of.time} * step / of.steps);
}

// ---- load of links

LinkLoadHistory::LinkLoadHistory(std::size_t links, std::uint64_t of)
    : length(std::max(1.0, static_cast<double>(of) / bins)), carried(links * bins) {}

void LinkLoadHistory::add(std::uint32_t link, std::uint64_t from, std::uint64_t to, double work) {
  const auto bin = [&](double at) {
    return std::min(bins - 1, static_cast<std::size_t>(at / length));
  };
  const double a = static_cast<double>(from), whole = static_cast<double>(bins) * length;
  double b = static_cast<double>(to);
  if (a >= whole)
    return;
  if (b > whole)
    work *= (whole - a) / (b - a), b = whole;
  const std::size_t first = bin(a), last = bin(b);
  double* of = &carried[link * bins];
  if (first == last) {
    of[first] += work;
    return;
  }
  for (std::size_t i = first; i <= last; ++i) {
    const double begin = std::max(a, static_cast<double>(i) * length),
                 end = i == last ? b : static_cast<double>(i + 1) * length;
    of[i] += work * (end - begin) / (b - a);
  }
}

double LinkLoadHistory::of(std::uint32_t link) const {
  double sum = 0;
  for (const double work : over(link))
    sum += work;
  return sum;
}

// ---- simulation of collectives

StepMessages::StepMessages(const StepLinks& links, const Sharing& sharing,
                           simulate::EventQueue& queue)
    : links(links), sharing(sharing), queue(queue),
      flows({links.capacities().begin(), links.capacities().end()}, queue),
      met(links.linkTypes().size()) {}

void StepMessages::clear() {
  now = sent = handled = 0;
  flows.clear();
  // Gives the numbers back in order, because of tied flows the one with the lower number goes
  // first.
  const auto giveAgain = [](std::vector<std::uint32_t>& unused, std::size_t from, std::size_t to) {
    unused.clear();
    for (std::size_t number = to; number > from; --number)
      unused.push_back(static_cast<std::uint32_t>(number - 1));
  };
  giveAgain(unusedInstances, 0, instances.size());
  giveAgain(unusedMoving, 0, moving.size());
  giveAgain(unusedLinks, links.capacities().size(), flows.linkCount());
  std::fill(met.begin(), met.end(), 0);
  std::fill(freeAt.begin(), freeAt.end(), 0);
  if (varying)
    changeRates();
}

/// Changes the rates of links, again and again until no other events remain.
void StepMessages::changeRates() {
  if (now > 0 && queue.empty())
    return;
  varying->change(flows, now);
  if (varying->every() > 0)
    queue.add(now + varying->every(), EventPhase::Begins, changes);
}

void StepMessages::record(LinkLoadHistory* use) {
  const std::size_t ofCluster = links.capacities().size(); // larger numbers are private links,
                                                           // which only one flow uses
  flows.watch(
      [=](llvm::ArrayRef<std::uint32_t> route, std::uint64_t from, std::uint64_t to, double work) {
        for (const std::uint32_t link : route)
          if (link < ofCluster)
            use->add(link, from, to, work);
      });
}

bool StepMessages::handle(const simulate::Event& event) {
  now = event.time();
  hasEnded = false;
  ++handled;
  if (Flows::isOwn(event)) {
    if (const auto payload = flows.handle(event))
      arrive(static_cast<std::uint32_t>(*payload));
  } else if (event.payload == changes) {
    changeRates();
  } else if (event.payload >= begins) {
    launch(static_cast<std::uint32_t>(event.payload & numbers));
  } else {
    start(static_cast<std::uint32_t>(event.payload & numbers));
  }
  return hasEnded;
}

void StepMessages::begin(const PreparedMessages& program, std::uint64_t times,
                         llvm::ArrayRef<std::uint32_t> devices, std::uint64_t begin,
                         std::uint64_t at, std::uint64_t ticket) {
  std::uint32_t index = 0;
  if (unusedInstances.empty()) {
    index = static_cast<std::uint32_t>(instances.size());
    instances.emplace_back();
  } else {
    index = unusedInstances.back();
    unusedInstances.pop_back();
  }
  RunningCollective& of = instances[index];
  of.program = &program, of.times = times, of.ticket = ticket;
  of.ahead = at > begin ? at - begin : 0;
  of.devices.assign(devices.begin(), devices.end());
  queue.add(std::max(at, begin), EventPhase::Begins, starts | index);
}

void StepMessages::send(const PreparedMessages& program, std::uint32_t from, std::uint32_t to,
                        std::uint32_t link, std::uint64_t at, std::uint64_t ticket) {
  freeAt.resize(std::max<std::size_t>(freeAt.size(), link + 1));
  if (sharing.queued)
    at = std::max(at, freeAt[link]);
  else if (at < freeAt[link])
    countOnTheWay(program, from, to);
  freeAt[link] = at + program.sequence.time;
  begin(program, 1, {from, to}, at, at, ticket);
}

/// Counts a message that would queue in the plan: it begins while an earlier one of its pipeline
/// link is in progress or in its latency.
void StepMessages::countOnTheWay(const PreparedMessages& program, std::uint32_t from,
                                 std::uint32_t to) {
  path.clear();
  links.route(from, to, program.sequence.phases.front().messages.front().level, path);
  ++met[links.linkTypeOf(path.front())];
  path.clear();
}

void StepMessages::start(std::uint32_t index) {
  RunningCollective& of = instances[index];
  const std::uint64_t length = of.program->sequence.time;
  while (of.times > 0 && of.ahead >= length) {
    --of.times, of.ahead -= length;
    if (of.times == 0)
      return finish(index, now - of.ahead);
  }
  of.ready.assign(of.program->messages, 0);
  round(index);
}

void StepMessages::round(std::uint32_t index) {
  RunningCollective& of = instances[index];
  const PreparedMessages& program = *of.program;
  MemberProgress from;
  while (from.stage + 1 < program.phases.size() && program.phases[from.stage + 1].begin <= of.ahead)
    ++from.stage;
  const std::uint64_t within = of.ahead - program.phases[from.stage].begin;
  while (from.step + 1 < program.sequence.phases[from.stage].steps &&
         program.stepBegin(from.stage, from.step + 1) <= within)
    ++from.step;
  of.aheadStep = program.phases[from.stage].firstStep + from.step;
  of.members.assign(of.program->sequence.members, from);
  of.unfinished = of.program->sequence.members;
  for (std::uint32_t member = 0; member < program.sequence.members; ++member)
    enter(index, member);
}

void StepMessages::enter(std::uint32_t index, std::uint32_t member) {
  RunningCollective& of = instances[index];
  const PreparedMessages& program = *of.program;
  MemberProgress& at = of.members[member];
  for (; at.stage < program.phases.size(); ++at.stage, at.step = 0) {
    const PreparedMessages::PreparedPhase& stage = program.phases[at.stage];
    const cost::MessagePhase& what = program.sequence.phases[at.stage];
    const std::uint32_t first = stage.first[member], last = stage.first[member + 1];
    if (at.step >= what.steps || first == last)
      continue;
    at.pending = last - first;
    for (std::uint32_t i = first; i < last; ++i) {
      const std::uint32_t message = stage.ofMember[i];
      const bool oneEnd = what.messages[message].from == what.messages[message].to;
      std::uint8_t& ready = of.ready[stage.firstMessage + message];
      if (++ready < (oneEnd ? 1 : 2))
        continue;
      ready = 0;
      post(index, at.stage, at.step, message);
    }
    return;
  }
  if (--of.unfinished > 0)
    return;
  if (--of.times == 0)
    return finish(index, now);
  of.ahead = 0;
  round(index);
}

void StepMessages::post(std::uint32_t index, std::size_t stage, std::uint64_t step,
                        std::uint32_t message) {
  const RunningCollective& of = instances[index];
  const PreparedMessages& program = *of.program;
  const cost::MessagePhase& what = program.sequence.phases[stage];
  const std::uint64_t begin = program.stepBegin(stage, step),
                      length = program.stepBegin(stage, step + 1) - begin;
  std::uint64_t latency = std::min(
      length, static_cast<std::uint64_t>(std::llround(static_cast<double>(length) * what.latency)));
  const double share = what.messages[message].share;
  std::uint64_t busy = length - latency;
  if (share < 1)
    busy = static_cast<std::uint64_t>(std::llround(static_cast<double>(busy) * share));
  if (of.ahead > 0 && program.phases[stage].firstStep + step == of.aheadStep) {
    const std::uint64_t ahead = of.ahead - program.phases[stage].begin - begin;
    busy -= std::min(busy, ahead - std::min(ahead, latency));
    latency -= std::min(latency, ahead);
  }
  if (delays)
    latency += delays->next(of.devices[what.messages[message].from]);
  std::uint32_t number = 0;
  if (unusedMoving.empty()) {
    number = static_cast<std::uint32_t>(moving.size());
    moving.emplace_back();
  } else {
    number = unusedMoving.back();
    unusedMoving.pop_back();
  }
  moving[number] = {index, message, static_cast<std::uint32_t>(stage), none,
                    static_cast<double>(busy)};
  queue.add(now + latency, EventPhase::Begins, begins | number);
}

void StepMessages::launch(std::uint32_t which) {
  MessageFlow& of = moving[which];
  if (of.work <= 0)
    return arrive(which);
  const RunningCollective& instance = instances[of.instance];
  const cost::MemberMessage& m = instance.program->sequence.phases[of.stage].messages[of.message];
  StepLinks::LinkRoute whole, shared;
  links.route(instance.devices[m.from], instance.devices[m.to], m.level, whole);
  const double scale = links.scaleAt(m.level);
  const std::optional<std::size_t> taper = links.taperOf(m.level);
  // A device that sends for several devices has the bandwidth that the plan gives all of them.
  const double planned = scale * std::max(1.0, m.part);
  double alone = 0;
  const auto leaveAlone = [&](double own) { alone = alone == 0 ? own : std::min(alone, own); };
  bool tapered = false;
  for (const std::uint32_t link : whole) {
    const std::size_t c = links.linkTypeOf(link);
    tapered = tapered || c == taper;
    if (sharing.isFree(c))
      leaveAlone((links.linkTypes()[c].level > 1 || c > 1 ? planned : 1) * flows.capacity(link) /
                 links.capacities()[link]);
    else
      shared.push_back(link);
  }
  // A message inside a unit does not use the oversubscribed links, so it may be faster than its
  // share of them.
  const bool inside = taper && !tapered;
  if (inside && sharing.isFree(*taper))
    leaveAlone(planned);
  if (scale < 1)
    of.work = (of.work - 0.25) * scale;
  if (shared.empty())
    alone = scale;
  else
    of.work *= m.part;
  ++sent;
  for (const std::uint32_t link : shared) {
    const std::size_t c = links.linkTypeOf(link);
    met[c] += !flows.on(link).empty() || links.linkTypes()[c].devices > 1;
  }
  if (inside && !sharing.isFree(*taper))
    ++met[*taper];
  if (alone > 0)
    of.privateLink = makePrivateLink(alone), shared.push_back(of.privateLink);
  flows.begin(now, shared, of.work, which);
}

std::uint32_t StepMessages::makePrivateLink(double capacity) {
  if (unusedLinks.empty())
    return flows.addLink(capacity);
  const std::uint32_t link = unusedLinks.back();
  unusedLinks.pop_back();
  flows.setCapacity(link, capacity, now);
  return link;
}

void StepMessages::arrive(std::uint32_t which) {
  const MessageFlow of = moving[which];
  unusedMoving.push_back(which);
  if (of.privateLink != none)
    unusedLinks.push_back(of.privateLink);
  RunningCollective& instance = instances[of.instance];
  const cost::MemberMessage m = instance.program->sequence.phases[of.stage].messages[of.message];
  const auto step = [&](std::uint32_t member) {
    MemberProgress& at = instances[of.instance].members[member];
    if (--at.pending > 0)
      return;
    ++at.step;
    enter(of.instance, member);
  };
  step(m.from);
  if (m.to != m.from)
    step(m.to);
}

void StepMessages::finish(std::uint32_t index, std::uint64_t at) {
  hasEnded = true, done = instances[index].ticket, doneAt = at;
  unusedInstances.push_back(index);
}
