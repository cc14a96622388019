//===- Host.cpp - What the host did when it launched kernels ----------------------------------===//
#include "driver/compare/Host.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
using namespace dpl;
using namespace dpl::compare;
using ir::ActionKind;

std::uint32_t Names::number(llvm::StringRef text) {
  constexpr std::size_t longest = 1000;
  const auto [known, added] =
      numbers.try_emplace(text.take_front(longest), static_cast<std::uint32_t>(all.size()));
  if (added)
    all.push_back(known->getKey().str()), size += known->getKey().size();
  return known->getValue();
}

bool compare::isBackward(llvm::StringRef name) {
  return name.contains_insensitive("backward") || name.contains_insensitive("bwd") ||
         name.contains("dgrad") || name.contains("wgrad") || name.endswith("(B)") ||
         name.endswith("(W)");
}

std::optional<ActionKind> compare::actionNamed(llvm::StringRef name) {
  llvm::StringRef rest = name;
  if (rest.startswith("Forward ") || rest.startswith("Backward "))
    return rest.startswith("F") ? ActionKind::Forward : ActionKind::Backward;
  if (rest.contains("forward_step") || rest == "forward-compute")
    return ActionKind::Forward;
  if (rest.contains("backward_step") || rest == "backward-compute")
    return ActionKind::Backward;
  // PyTorch's pipelining: stage, action, micro-batch.
  (void)rest.consume_front("PP:");
  const llvm::StringRef stage = rest.take_while([](char c) { return c >= '0' && c <= '9'; });
  rest = rest.drop_front(stage.size());
  const std::size_t number = rest.find_first_of("0123456789");
  if (stage.empty() || number == llvm::StringRef::npos ||
      rest.drop_front(number).find_first_not_of("0123456789") != llvm::StringRef::npos)
    return std::nullopt;
  const llvm::StringRef action = rest.take_front(number);
  if (action == "F")
    return ActionKind::Forward;
  if (action == "B")
    return ActionKind::Backward;
  if (action == "I")
    return ActionKind::BackwardInput;
  if (action == "W")
    return ActionKind::BackwardWeight;
  return std::nullopt;
}

Host::Host(Names& names, std::vector<HostRange> given) : names(names), ranges(std::move(given)) {
  llvm::sort(ranges, [](const HostRange& a, const HostRange& b) {
    return std::tie(a.thread, a.begin, b.end, a.name) < std::tie(b.thread, b.begin, a.end, b.name);
  });
}

const Host::NameFacts& Host::factsOf(std::uint32_t name) {
  if (facts.size() <= name)
    facts.resize(name + 1);
  if (!facts[name]) {
    const llvm::StringRef text = names[name];
    facts[name] =
        NameFacts{classOf(text), isBackward(text),
                  text.contains("all_to_all") || text.contains("alltoall"), actionNamed(text)};
  }
  return *facts[name];
}

namespace {
/// Whether an operator of this class decides what its kernels are.
bool decides(WorkClass work) { return work != WorkClass::Pointwise && work != WorkClass::Other; }
} // namespace

HostContext Host::contextOf(llvm::ArrayRef<std::size_t> enclosing,
                            std::vector<ActionKind>& actions) {
  HostContext out;
  out.known = !enclosing.empty();
  for (const std::size_t i : llvm::reverse(enclosing)) {
    const HostRange& range = ranges[i];
    const NameFacts& of = factsOf(range.name);
    out.backward |= of.backward, out.allToAll |= of.allToAll;
    if (of.work == WorkClass::Optimizer || !decides(out.work))
      out.work = decides(of.work) || out.work == WorkClass::Other ? of.work : out.work;
    if (out.shapes == 0)
      out.shapes = range.shapes;
    if (out.collective == 0)
      out.collective = range.collective;
    if (of.action && out.action == 0) {
      const auto [known, added] =
          actionOfRange.try_emplace(i, static_cast<std::uint32_t>(actions.size() + 1));
      if (added)
        actions.push_back(*of.action);
      out.action = known->second;
    }
  }
  return out;
}

std::vector<HostContext> Host::contextsOf(llvm::ArrayRef<HostLaunch> launches,
                                          std::vector<ActionKind>& actions) {
  std::vector<std::size_t> order(launches.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  llvm::sort(order, [&](std::size_t a, std::size_t b) {
    return std::tie(launches[a].thread, launches[a].time, a) <
           std::tie(launches[b].thread, launches[b].time, b);
  });
  std::vector<HostContext> out(launches.size());
  std::vector<std::size_t> enclosing;
  std::size_t next = 0;
  for (const std::size_t i : order) {
    const HostLaunch& launch = launches[i];
    if (!enclosing.empty() && ranges[enclosing.front()].thread != launch.thread)
      enclosing.clear();
    for (; next < ranges.size() && std::tie(ranges[next].thread, ranges[next].begin) <=
                                       std::tie(launch.thread, launch.time);
         ++next) {
      if (ranges[next].thread != launch.thread)
        continue;
      while (!enclosing.empty() && ranges[enclosing.back()].end <= ranges[next].begin)
        enclosing.pop_back();
      enclosing.push_back(next);
    }
    while (!enclosing.empty() && ranges[enclosing.back()].end < launch.time)
      enclosing.pop_back();
    out[i] = contextOf(enclosing, actions);
  }
  return out;
}

std::vector<DeviceWork> Host::operatorsAsWork(std::vector<ActionKind>& actions) {
  std::vector<DeviceWork> out;
  std::vector<std::size_t> enclosing;
  std::vector<std::int64_t> own(ranges.size());
  std::vector<HostContext> contexts(ranges.size());
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const HostRange& range = ranges[i];
    if (!enclosing.empty() && ranges[enclosing.front()].thread != range.thread)
      enclosing.clear();
    while (!enclosing.empty() && ranges[enclosing.back()].end <= range.begin)
      enclosing.pop_back();
    own[i] += range.end - range.begin;
    if (!range.annotation)
      for (const std::size_t outer : llvm::reverse(enclosing))
        if (!ranges[outer].annotation) {
          own[outer] -= range.end - range.begin;
          break;
        }
    enclosing.push_back(i);
    contexts[i] = contextOf(enclosing, actions);
  }
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const HostRange& range = ranges[i];
    const bool exchange = llvm::StringRef(names[range.name]).startswith("gloo:");
    if (own[i] <= 0 || (range.annotation && !exchange))
      continue;
    DeviceWork work;
    work.begin = range.begin, work.end = range.begin + own[i], work.launched = range.begin;
    work.name = range.name, work.stream = range.thread;
    work.shapes = contexts[i].shapes, work.collective = contexts[i].collective;
    work.action = contexts[i].action, work.backward = contexts[i].backward;
    work.work = exchange ? WorkClass::Collective : contexts[i].work;
    out.push_back(work);
  }
  return out;
}
