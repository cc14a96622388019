//===- MessageLevel.cpp - Link use and contention in a step at the level of messages ----------===//
#include "simulate/plan/MessageLevel.h"
#include "backends/report/Format.h"
#include "backends/report/TextTable.h"
#include "ir/Arithmetic.h"
#include "support/Text.h"
#include <cmath>
#include <fmt/format.h>
#include <numeric>

using namespace dpl;
using namespace dpl::simulation;
using ir::real;

namespace {
double stepWith(const StepShape& shape, const StepNetwork& network, const Sharing& sharing,
                const StepDraws& draws) {
  StepRun run(shape, {}, &network, sharing);
  return real(run.run(draws));
}

void addUse(MessagesOfStep& out, const StepLinks& links, const LinkLoadHistory& use) {
  std::uint32_t hottest = 0;
  for (const StepLinks::LinkTypeRange& of : links.linkTypes()) {
    LinkTypeUse& row = out.links.emplace_back();
    row.name = of.name;
    for (std::uint32_t link = of.first; link < of.first + 2 * of.count(); ++link) {
      const double full = use.of(link) / (links.capacities()[link] * real(out.step));
      row.links += full > 0;
      row.busiest = std::max(row.busiest, full), row.mean += full;
      if (full > out.hottestUse)
        out.hottestUse = full, hottest = link;
    }
    if (row.links > 0)
      row.mean /= real(row.links);
  }
  if (out.hottestUse <= 0)
    return;
  out.hottest = links.nameOf(hottest);
  for (const double work : use.over(hottest))
    out.over.push_back(work / (links.capacities()[hottest] * use.binLength()));
}
} // namespace

double dpl::simulation::messageCount(const StepShape& shape, const StepNetwork& network) {
  double all = 0;
  for (const ir::Collective& c : shape.plan.collectives) {
    const cost::MessageSequence& program =
        network
            .messagesOf(c,
                        shape.detail == Detail::Folded && c.kind != ir::CollectiveKind::SendReceive)
            .sequence;
    // A point-to-point message is counted once, at its sender.
    const bool pair = c.kind == ir::CollectiveKind::SendReceive;
    for (const cost::MessagePhase& stage : program.phases)
      all += real(c.count) * real(stage.steps) * real(stage.messages.size()) /
             (pair ? 1 : real(program.members));
  }
  return all * shape.replicas;
}

MessagesOfStep dpl::simulation::messagesOfStep(const StepShape& shape, const StepNetwork& network,
                                               std::uint64_t waits) {
  const std::vector<std::uint64_t> loaded(waits > 0 ? shape.simulatedRanks() : 0, waits);
  const StepDraws draws{{}, nullptr, nullptr, loaded};
  MessagesOfStep out;
  out.folded = shape.detail == Detail::Folded;
  const StepLinks& links = network.links;
  out.queued = static_cast<std::uint64_t>(stepWith(shape, network, {{}, true}, draws));
  StepRun run(shape, {}, &network);
  out.step = run.run(draws);
  // The width of the bins depends on the length of the step, so the step runs a second time.
  LinkLoadHistory use(links.capacities().size(), out.step);
  run.messagesOfAll()->record(&use);
  (void)run.run(draws);
  out.messages = run.messagesOfAll()->messages();
  const std::vector<std::uint64_t> shared = run.messagesOfAll()->shared();
  addUse(out, links, use);
  if (std::accumulate(shared.begin(), shared.end(), std::uint64_t{0}) == 0)
    return out;
  const std::vector<bool> all(links.linkTypes().size(), true);
  const double none = stepWith(shape, network, {all, false}, draws);
  out.order = none - real(out.queued);
  out.beyond = real(out.step) - none;
  for (std::size_t c = 0; c < shared.size(); ++c) {
    out.links[c].shared = shared[c];
    out.shared += shared[c];
    if (shared[c] == 0)
      continue;
    std::vector<bool> one(shared.size());
    one[c] = true;
    out.links[c].costs = real(out.step) - stepWith(shape, network, {one, false}, draws);
    out.beyond -= out.links[c].costs;
  }
  return out;
}

namespace {
std::string signedTime(double ps) {
  return ps == 0 ? "-" : (ps > 0 ? "+" : "-") + report::duration(std::abs(ps) * 1e-12);
}
} // namespace

std::string dpl::simulation::renderText(const MessagesOfStep& of, unsigned width) {
  std::string text =
      fmt::format("  messages        {} of a step, {}\n", of.messages,
                  of.shared == 0 ? "which share no link"
                                 : fmt::format("which share links {} times", of.shared));
  if (of.shared > 0) {
    text += fmt::format("  no sharing      {}, as predicted\n",
                        report::duration(real(of.queued) * 1e-12));
    if (of.order != 0)
      text += fmt::format("  no queues       {}\n", signedTime(of.order));
    if (of.beyond != 0)
      text += fmt::format("  interaction     {}\n", signedTime(of.beyond));
  }
  if (!of.hottest.empty()) {
    std::string tenths;
    for (std::size_t tenth = 0; tenth < 10; ++tenth) {
      double sum = 0;
      for (std::size_t i = 0; i < LinkLoadHistory::bins / 10; ++i)
        sum += of.over[tenth * LinkLoadHistory::bins / 10 + i];
      tenths += " " + report::percent(sum / (LinkLoadHistory::bins / 10.0));
    }
    text += listRow("  hottest link",
                    fmt::format("{}: full for {} of the step; of each tenth", of.hottest,
                                report::percent(of.hottestUse)),
                    18, width) +
            listRow("", tenths.substr(1), 18, width);
  }
  report::TextTable table(
      {"links", "used", "load of the busiest", "mean load", "shared", "sharing costs"});
  for (const LinkTypeUse& row : of.links)
    if (row.links > 0)
      table.row({row.name, std::to_string(row.links), report::percent(row.busiest),
                 report::percent(row.mean), row.shared > 0 ? std::to_string(row.shared) : "-",
                 row.shared > 0 ? signedTime(row.costs) : "-"});
  if (table.empty())
    return text;
  table.dropDashes();
  return text + "\n" + table.render(width);
}

Json dpl::simulation::renderJson(const MessagesOfStep& of) {
  const auto whole = [](double ps) { return static_cast<std::int64_t>(std::llround(ps)); };
  Json links = Json::array();
  for (const LinkTypeUse& row : of.links)
    if (row.links > 0)
      links.push_back({{"link_type", row.name},
                       {"count", row.links},
                       {"max_utilization", row.busiest},
                       {"mean_utilization", row.mean},
                       {"contended", row.shared},
                       {"contention_ps", whole(row.costs)}});
  return {{"folded", of.folded},
          {"messages", of.messages},
          {"contended", of.shared},
          {"step_ps", of.step},
          {"uncontended_ps", of.queued},
          {"reordering_ps", whole(of.order)},
          {"interaction_ps", whole(of.beyond)},
          {"links", links},
          {"busiest_link", of.hottest.empty() ? Json(nullptr)
                                              : Json{{"link", of.hottest},
                                                     {"utilization", of.hottestUse},
                                                     {"utilization_over_time", of.over}}}};
}
