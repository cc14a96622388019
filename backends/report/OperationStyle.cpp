//===- OperationStyle.cpp - How pictures of a schedule tell operations apart ------------------===//
#include "backends/report/OperationStyle.h"
#include <fmt/format.h>
#include <set>

using namespace dpl;
using namespace dpl::report;
using ir::OperationKind;

const OperationStyle& report::styleOf(OperationKind kind) {
  static constexpr OperationStyle forward{
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
  case OperationKind::Forward:
  case OperationKind::PairedForward:
    return forward;
  case OperationKind::Backward:
    return backward;
  case OperationKind::BackwardInput:
    return input;
  case OperationKind::BackwardWeight:
    return weight;
  case OperationKind::Recomputation:
    return recomputation;
  case OperationKind::Collective:
    return collective;
  case OperationKind::Wait:
    return wait;
  case OperationKind::Optimizer:
    return optimizer;
  }
  return wait;
}

std::string report::shadeOf(OperationKind kind, std::uint64_t chunk, std::uint64_t chunks) {
  const OperationStyle& style = styleOf(kind);
  const auto mixed = [&](std::size_t i) { // one chunk has the shade between
    const std::uint64_t all = chunks > 1 ? chunks - 1 : 2, part = chunks > 1 ? chunk : 1;
    return (style.light[i] * (all - part) + style.dark[i] * part) / all;
  };
  return fmt::format("#{:02x}{:02x}{:02x}", mixed(0), mixed(1), mixed(2));
}

std::vector<OperationKind> report::kindsIn(const ir::Plan& plan) {
  std::set<OperationKind> kinds;
  for (const ir::RankSchedule& rank : plan.schedule)
    for (std::size_t i = 0; i < rank.operations.size(); ++i)
      if (rank.duration[i] > 0)
        kinds.insert(isForward(rank.operations[i].kind) ? OperationKind::Forward
                                                        : rank.operations[i].kind);
  return {kinds.begin(), kinds.end()};
}
