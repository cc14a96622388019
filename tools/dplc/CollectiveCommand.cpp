//===- CollectiveCommand.cpp - dplc collective: one collective alone on a cluster -------------===//
#include "backends/report/Format.h"
#include "backends/report/Table.h"
#include "ir/Names.h"
#include "passes/Pass.h"
#include "score/Collective.h"
#include "support/Json.h"
#include "support/Number.h"
#include "support/diagnostics/Score.h"
#include "support/diagnostics/Tools.h"
#include "tools/dplc/Machine.h"
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
          {"harness", request.harness == score::Harness::Torch ? "torch" : "nccl_tests"},
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
      "  of the time     {} latency of its steps{}\n\n",
      ir::name(request.kind),
      human(static_cast<double>(request.bytes), *dimensionNamed("Bytes"), true), found.ranks,
      cluster, report::duration(found.seconds()), found.busBandwidth / 1e9,
      ir::name(found.cost.algorithm),
      found.cost.protocol ? fmt::format(", protocol {}", found.cost.protocol->name) : "",
      report::duration(found.cost.latency),
      found.launch > 0 ? fmt::format(", {} of the harness", report::duration(found.launch)) : "");
  report::Table table({"level", "devices", "sent by a device", "time of its links"});
  for (const score::CollectiveLevel& level : found.levels)
    table.row({ir::name(level.links.level), std::to_string(level.links.devices),
               report::traffic(level.bytes), report::duration(level.seconds)});
  return text + table.render(terminalWidth());
}
} // namespace

int tool::runCollective(Session& session) {
  const Options& options = session.options;
  score::CollectiveRequest request;
  const auto kind = worded<ir::CollectiveKind>(session, "--op", options.operation);
  const auto bytes = session.bytesOf("--size", options.size);
  if (!options.algorithm.empty())
    request.algorithm = worded<ir::Algorithm>(session, "--algorithm", options.algorithm);
  if (options.ranks < 2)
    (void)session.diags.report<diag::UsageError>(
        {}, fmt::format("--ranks: a collective needs at least 2 ranks, found {}", options.ranks));
  if (!kind || !bytes || session.diags.errors() > 0 || !session.prepare())
    return session.finish();
  request.kind = *kind, request.bytes = *bytes;
  request.harness = options.harness == "torch" ? score::Harness::Torch : score::Harness::NcclTests;
  const MachineRequest machine{options.cluster, options.files.empty() ? "" : options.files.front(),
                               options.ranks};
  std::unique_ptr<CompiledUnit> unit;
  ir::Plan* plan = planOn(session, machine, 0, unit);
  if (plan && options.files.empty() && plan->cluster.devices() < options.ranks)
    plan = planOn(session, machine, nodesFor(plan->cluster, options.ranks), unit);
  if (!plan || runThrough(*plan, session.diags, "build-groups").failed())
    return session.finish();
  const FailureOr<score::CollectivePrediction> found =
      score::predictCollective(*plan, request, session.diags);
  if (!found.failed())
    session.out = options.json ? textOf(jsonOf(request, *found, options.cluster))
                               : screenOf(request, *found, options.cluster);
  return session.finish();
}
