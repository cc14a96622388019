//===- CollectiveCommand.cpp - dplc collective: one collective alone on a cluster -------------===//
#include "backends/report/Format.h"
#include "backends/report/Table.h"
#include "ir/Names.h"
#include "passes/Pass.h"
#include "score/Collective.h"
#include "support/Json.h"
#include "support/Near.h"
#include "support/Number.h"
#include "support/diagnostics/Score.h"
#include "support/diagnostics/Tools.h"
#include "tools/dplc/Session.h"
#include <filesystem>
using namespace dpl;
using namespace dpl::tool;

namespace {
template <class E> std::vector<std::string> spellings() {
  std::vector<std::string> names;
  for (const char* name : ir::namesOf(E{}))
    names.emplace_back(name);
  return names;
}

/// The value of a word of the command line; nothing after a report.
template <class E>
std::optional<E> worded(Session& session, const char* option, const std::string& word) {
  E value{};
  if (ir::valueNamed(word, value))
    return value;
  (void)session.diags
      .report<diag::UsageError>({}, fmt::format("{}: there is no `{}`", option, word))
      .help(
          didYouMean(nearNames(word, spellings<E>()), "there are " + alternatives(spellings<E>())));
  return std::nullopt;
}

/// A plan whose data ranks are the ranks of the collective. `clusters.NAME` is of the library and
/// gets as many nodes as hold the ranks; of a file it is as the file says.
std::string textFor(const Options& options, std::uint64_t nodes) {
  std::string text = "import std.clusters\nimport std.models\n";
  std::string base = options.cluster;
  if (!options.files.empty()) {
    const std::string name = std::filesystem::path(options.files.front()).filename().string();
    text += fmt::format("import \"./{}\" as given\n", name);
    base = "given." + base;
  }
  return text +
         fmt::format("model any from models.gpt2_small {{}}\ncluster machine from {} {{{}}}\n"
                     "layout run for any on machine {{\n{}}}\n",
                     base, nodes > 0 ? fmt::format(" nodes = {} ", nodes) : "",
                     score::layoutOfRanks(options.ranks));
}

/// The plan with its groups; null after a report.
ir::Plan* planFor(Session& session, std::unique_ptr<CompiledUnit>& unit, std::uint64_t nodes) {
  // Beside the file that it imports.
  const std::filesystem::path beside =
      session.options.files.empty() ? "" : session.options.files.front();
  const std::string file = (beside.parent_path() / "<collective>").string();
  session.workspace.overlay(file, textFor(session.options, nodes));
  unit = session.compile(file);
  if (unit->file.failed() || session.diags.errors() > 0 || unit->file->plans.empty())
    return nullptr;
  return &unit->file->plans.front();
}

std::uint64_t nodesFor(const ir::Cluster& cluster, std::uint64_t ranks) {
  // Whole domains, so that an NVL72 stays one.
  const std::uint64_t domain =
      std::max<std::uint64_t>(cluster.devicesIn(ir::Level::Domain), cluster.gpusPerNode);
  const std::uint64_t domains = (ranks + domain - 1) / domain;
  return domains * (domain / cluster.gpusPerNode);
}

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
  std::unique_ptr<CompiledUnit> unit;
  ir::Plan* plan = planFor(session, unit, 0);
  if (plan && options.files.empty() && plan->cluster.devices() < options.ranks)
    plan = planFor(session, unit, nodesFor(plan->cluster, options.ranks));
  if (!plan || runThrough(*plan, session.diags, "build-groups").failed())
    return session.finish();
  const FailureOr<score::CollectivePrediction> found =
      score::predictCollective(*plan, request, session.diags);
  if (!found.failed())
    session.out = options.json ? textOf(jsonOf(request, *found, options.cluster))
                               : screenOf(request, *found, options.cluster);
  return session.finish();
}
