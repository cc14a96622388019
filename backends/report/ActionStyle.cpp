//===- ActionStyle.cpp - Letters and colours of actions in pictures of a schedule -------------===//
#include "backends/report/ActionStyle.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>

using namespace dpl;
using namespace dpl::report;
using ir::ActionKind;

const ActionStyle& report::styleOf(ActionKind kind) {
  static constexpr ActionStyle forward{
      'F', "forward", {198, 219, 239}, {66, 146, 198}, {153, 117, 75, 33}},
      backward{'B', "backward", {199, 233, 192}, {65, 171, 93}, {157, 120, 77, 35}},
      input{'I', "backward for inputs", {253, 208, 162}, {241, 105, 19}, {223, 216, 209, 172}},
      weight{'W', "backward for weights", {218, 218, 235}, {128, 125, 186}, {189, 183, 177, 140}},
      recomputation{'R', "recomputation", {252, 197, 192}, {221, 52, 151}, {225, 218, 211, 175}},
      collective{
          'C', "reductions and gathers", {239, 138, 98}, {239, 138, 98}, {203, 203, 203, 203}},
      wait{'w', "wait for reductions", {255, 237, 160}, {255, 237, 160}, {229, 229, 229, 229}},
      optimizer{'U', "update", {150, 150, 150}, {150, 150, 150}, {248, 248, 248, 248}};
  switch (kind) {
  case ActionKind::Forward:
  case ActionKind::PairedForward:
    return forward;
  case ActionKind::Backward:
    return backward;
  case ActionKind::BackwardInput:
    return input;
  case ActionKind::BackwardWeight:
    return weight;
  case ActionKind::Recomputation:
    return recomputation;
  case ActionKind::Collective:
    return collective;
  case ActionKind::Wait:
    return wait;
  case ActionKind::Optimizer:
    return optimizer;
  }
  return wait;
}

std::string report::shadeOf(ActionKind kind, std::uint64_t chunk, std::uint64_t chunks) {
  const ActionStyle& style = styleOf(kind);
  const auto mixed = [&](std::size_t i) { // mixes the shades for a chunk; a single chunk has the
                                          // middle one
    const std::uint64_t all = chunks > 1 ? chunks - 1 : 2, part = chunks > 1 ? chunk : 1;
    return (style.light[i] * (all - part) + style.dark[i] * part) / all;
  };
  return fmt::format("#{:02x}{:02x}{:02x}", mixed(0), mixed(1), mixed(2));
}

std::vector<ActionKind> report::kindsIn(const ir::Plan& plan) {
  std::set<ActionKind> kinds;
  for (const ir::RankSchedule& rank : plan.schedule)
    for (std::size_t i = 0; i < rank.actions.size(); ++i)
      if (rank.duration[i] > 0)
        kinds.insert(isForward(rank.actions[i].kind) ? ActionKind::Forward : rank.actions[i].kind);
  return {kinds.begin(), kinds.end()};
}

std::uint64_t report::medianForward(const ir::Plan& plan) {
  std::vector<std::uint64_t> lengths;
  for (const ir::RankSchedule& rank : plan.schedule)
    for (std::size_t i = 0; i < rank.actions.size(); ++i)
      if (rank.actions[i].forward())
        lengths.push_back(rank.duration[i]);
  if (lengths.empty())
    return 0;
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  return *middle;
}
