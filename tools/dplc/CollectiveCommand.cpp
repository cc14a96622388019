//===- CollectiveCommand.cpp - dplc collective: one collective alone on a cluster -------------===//
#include "backends/report/Collectives.h"
#include "backends/report/Format.h"
#include "backends/report/TextTable.h"
#include "driver/collective/CollectiveMessages.h"
#include "ir/Names.h"
#include "passes/Pass.h"
#include "support/Json.h"
#include "support/Number.h"
#include "support/Text.h"
#include "tools/dplc/Machine.h"
#include <numeric>
using namespace dpl;
using namespace dpl::tool;

namespace {
Json jsonOf(const score::CollectiveRequest& request, const score::CollectivePrediction& found,
            const std::string& cluster) {
  const Dimension seconds = *dimensionNamed("Duration"), bytes = *dimensionNamed("Bytes"),
                  rate = *dimensionNamed("Bandwidth");
  Json levels = Json::array();
  for (const score::CollectiveLevel& level : found.levels)
    levels.push_back({{"level", ir::name(level.links.level)},
                      {"devices", level.links.devices},
                      {"bytes", quantity(level.bytes, bytes)},
                      {"time", quantity(level.seconds, seconds)}});
  return {{"schema", "dplc.collective.1"},
          {"cluster", cluster},
          {"operation", ir::name(request.kind)},
          {"ranks", found.ranks},
          {"size", quantity(static_cast<double>(request.bytes), bytes)},
          {"harness", score::harnessNames[static_cast<std::size_t>(request.harness)]},
          {"algorithm", ir::name(found.cost.algorithm)},
          {"protocol", found.cost.protocol ? Json(found.cost.protocol->name) : Json()},
          {"time", quantity(found.seconds(), seconds)},
          {"latency", quantity(found.cost.latency, seconds)},
          {"launch", quantity(found.launch, seconds)},
          {"algorithm_bandwidth", quantity(found.algorithmBandwidth, rate)},
          {"bus_bandwidth", quantity(found.busBandwidth, rate)},
          {"levels", levels}};
}

std::string screenOf(const score::CollectiveRequest& request,
                     const score::CollectivePrediction& found, const std::string& cluster) {
  std::string text = fmt::format(
      "{} of {} over {} ranks of {}\n"
      "  time            {}\n  bus bandwidth   {:.4g}GB/s\n  algorithm       {}{}\n"
      "  latency         {} of this time{}\n\n",
      ir::name(request.kind),
      human(static_cast<double>(request.bytes), *dimensionNamed("Bytes"), true), found.ranks,
      cluster, report::duration(found.seconds()), found.busBandwidth / 1e9,
      ir::name(found.cost.algorithm),
      found.cost.protocol ? fmt::format(", protocol {}", found.cost.protocol->name) : "",
      report::duration(found.cost.latency),
      found.launch > 0 ? fmt::format(", {} of the harness", report::duration(found.launch)) : "");
  report::TextTable table({"level", "devices", "sent by a device", "time of its links"});
  for (const score::CollectiveLevel& level : found.levels)
    table.row({ir::name(level.links.level), std::to_string(level.links.devices),
               report::traffic(level.bytes), report::duration(level.seconds)});
  return text + table.render(terminalWidth());
}

Json jsonOf(const score::MessagesRun& run) {
  const Dimension seconds = *dimensionNamed("Duration"), bytes = *dimensionNamed("Bytes");
  Json links = Json::array(), times = Json::array();
  for (const double time : run.seconds)
    times.push_back(quantity(time, seconds));
  for (const score::CarriedLinkType& use : run.links)
    links.push_back({{"link_type", use.name},
                     {"count", use.links},
                     {"max_bytes", quantity(use.bytes, bytes)},
                     {"max_utilization", use.busiest},
                     {"mean_utilization", use.mean}});
  return {{"times", times},          {"messages", run.messages}, {"steps", run.steps},
          {"contended", run.shared}, {"events", run.events},     {"links", links}};
}

std::string screenOf(const score::MessagesRun& run, double predicted) {
  const simulate::Sample sample(run.seconds);
  std::string text = fmt::format("\n  as messages     {}", report::duration(sample.mean()));
  if (const std::optional<double> halfWidth = sample.halfWidth())
    text += fmt::format("{} of {} draws, seed {}\n"
                        "  percentiles     50 % {}, 99 % {}",
                        report::within(halfWidth), sample.size(), run.seed,
                        report::duration(sample.quantile(0.5)),
                        report::duration(sample.quantile(0.99)));
  const double more = sample.mean() / predicted - 1;
  text += std::abs(more) < 5e-7 ? ", as the closed form says\n"
                                : fmt::format(", {:.3g} % {} than the closed form\n",
                                              100 * std::abs(more), more > 0 ? "more" : "less");
  text += fmt::format("  sent            {} in {}, {} of them met another on a link\n\n",
                      plural(run.messages, "message"), plural(run.steps, "step"), run.shared);
  report::TextTable table({"links", "used", "busiest carries", "in use", "all on average"});
  for (const score::CarriedLinkType& use : run.links)
    table.row({use.name, std::to_string(use.links), report::traffic(use.bytes),
               report::percent(use.busiest), report::percent(use.mean)});
  return text + table.render(terminalWidth());
}

/// Makes flows spread evenly over uplinks, because this simulation spreads them. Returns whether
/// they were hashed.
bool spreadFlows(ir::Cluster& cluster) {
  bool hashed = false;
  for (ir::LinkType& link : cluster.network.links)
    if ((link.kind == ir::LinkKind::Leaf || link.kind == ir::LinkKind::Pod) && !link.isDirect())
      hashed = std::exchange(link.count, 1) > 1 || hashed;
  return hashed;
}

/// Simulates the messages of a collective for `--messages`; empty after a report.
std::optional<score::MessagesRun> runOf(Session& session, const CollectiveOptions& options,
                                        const ir::Plan& plan,
                                        const score::CollectiveRequest& request,
                                        const score::CollectivePrediction& found,
                                        std::uint64_t delay) {
  const score::MessagesRequest how{delay, options.seed, delay > 0 ? options.draws : 1,
                                   options.jobs};
  FailureOr<score::MessagesRun> run = score::runMessages(plan, request, found, how, session.diags);
  return run.failed() ? std::nullopt : std::optional(std::move(*run));
}

/// The table over all sizes for a group that uses the network alone.
std::string sweepOf(const ir::Plan& plan, ir::CollectiveKind kind,
                    const CollectiveOptions& options) {
  const ir::Group& group = *plan.group("data");
  const ir::LinkLevels links = score::aloneLinks(plan.cluster);
  std::vector<std::uint64_t> classes(plan.cluster.nodeTypes.size());
  std::iota(classes.begin(), classes.end(), 0);
  const cost::ChoiceRequest request{plan.cluster, kind,        group.inside, links,
                                    classes,      group.torus, group.order};
  cost::CollectiveChoices choices;
  choices.kind = kind, choices.groups = {options.cluster};
  choices.ranks = group.size, choices.spans = group.spans;
  choices.ranges = cost::choiceRanges(request), choices.points = cost::choicePoints(request);
  if (!options.json)
    return report::collectivesText(choices, plan.cluster, terminalWidth());
  return textOf(Json{{"schema", "dplc.collectives.1"},
                     {"layout", Json()},
                     {"cluster", options.cluster},
                     {"collectives", report::collectivesJson(choices, plan.cluster)}});
}
} // namespace

int tool::runCollective(Session& session, const CollectiveOptions& options) {
  session.options.set = options.set;
  score::CollectiveRequest request;
  const auto kind = worded<ir::CollectiveKind>(session, "--op", options.operation);
  const bool sweep = options.size.empty();
  const auto bytes = sweep ? 0 : session.bytesOf("--size", options.size);
  if (!options.algorithm.empty())
    request.algorithm = worded<ir::Algorithm>(session, "--algorithm", options.algorithm);
  if (options.ranks < 2)
    session.wrongUsage(
        fmt::format("--ranks: a collective needs at least 2 ranks, found {}", options.ranks));
  std::optional<std::uint64_t> delay = 0;
  if (!options.delay.empty())
    delay = session.picosecondsOf("--message-delay", options.delay);
  if (!kind || !bytes || !delay || session.diags.errors() > 0 || !session.prepare())
    return session.finish();
  request.kind = *kind, request.bytes = *bytes;
  request.harness = score::harnessNamed(options.harness);
  const MachineRequest machine{options.cluster, options.files.empty() ? "" : options.files.front(),
                               options.ranks};
  std::unique_ptr<CompiledUnit> unit;
  ir::Plan* plan = planOn(session, machine, 0, unit);
  if (plan && options.files.empty() && plan->cluster.devices() < options.ranks)
    plan = planOn(session, machine, nodesFor(plan->cluster, options.ranks), unit);
  const bool hashed = plan && spreadFlows(plan->cluster);
  if (!plan || runThrough(*plan, session.diags, "build-groups").failed())
    return session.finish();
  if (sweep) {
    session.out = sweepOf(*plan, *kind, options);
    return session.finish();
  }
  const FailureOr<score::CollectivePrediction> found =
      score::predictCollective(*plan, request, session.diags);
  if (found.failed())
    return session.finish();
  std::optional<score::MessagesRun> messages;
  if (options.messages) {
    messages = runOf(session, options, *plan, request, *found, *delay);
    if (!messages)
      return session.finish();
  }
  if (options.json) {
    Json json = jsonOf(request, *found, options.cluster);
    if (messages)
      json["as_messages"] = jsonOf(*messages);
    session.out = textOf(json);
  } else {
    session.out = screenOf(request, *found, options.cluster);
    if (messages)
      session.out += screenOf(*messages, found->cost.seconds) +
                     (hashed ? "\nFlows spread evenly over `uplinks` here; `dplc simulate --level "
                               "message` hashes them.\n"
                             : "") +
                     (plan->cluster.linkJitter.empty()
                          ? ""
                          : "\nLinks keep their mean rates here; `dplc simulate --level message` "
                            "lets them vary.\n");
  }
  return session.finish();
}
