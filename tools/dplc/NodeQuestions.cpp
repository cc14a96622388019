//===- NodeQuestions.cpp - A job's layouts for fewer and fewer nodes --------------------------===//
#include "tools/dplc/NodeQuestions.h"
#include "backends/report/Format.h"
#include "backends/report/TextTable.h"
#include "figures/Figures.h"
#include "ir/Arithmetic.h"
#include "support/FileIo.h"
#include "support/Json.h"
#include "support/Text.h"
#include "support/diagnostics/Tools.h"
#include "tools/dplc/Terminal.h"
#include <thread>
using namespace dpl;
using namespace dpl::tool;
using search::NodeRow;

namespace {
double stepOf(const ir::Plan& plan) {
  return figures::Figures(plan, {}, figures::Depth::Values).value("step_time").value_or(0);
}

std::uint64_t peakOf(const ir::Plan& plan) { return ir::tightest(plan.memory)->peak(); }

std::string fieldsText(const NodeRow& row) {
  std::string out;
  for (const WrittenField& field : row.fields)
    out += fmt::format("{}{}", out.empty() ? "" : ", ",
                       field.path == "mesh" ? field.value
                                            : fmt::format("{} = {}", field.path, field.value));
  return out.empty() ? "the layout as it is" : out;
}

/// "running-6.dpl"
std::string fileOf(const ir::Plan& plan, std::uint64_t nodes) {
  return fmt::format("{}-{}.dpl", plan.layout.name, nodes);
}

std::string nodesText(const ir::Plan& plan, const std::vector<NodeRow>& rows, unsigned width) {
  std::string text = fmt::format("near {}: the fastest layouts that load its checkpoints, on {} to "
                                 "{} nodes\n",
                                 plan.layout.name, rows.back().nodes, rows.front().nodes);
  report::TextTable table({"nodes", "used", "step_time", "memory.peak"});
  for (const NodeRow& row : rows)
    table.row({std::to_string(row.nodes), std::to_string(row.used),
               report::duration(stepOf(row.plan)), report::memory(ir::real(peakOf(row.plan)))});
  text += "\n" + table.render(width) + "\n";
  for (const NodeRow& row : rows)
    if (row.nodes == row.used)
      text += listRow(fmt::format("  {}", row.nodes),
                      fieldsText(row) + (row.condition.empty() ? "" : "; if " + row.condition), 8,
                      width);
  return text;
}

Json nodesJson(const ir::Plan& plan, const std::vector<NodeRow>& rows) {
  Json out = Json::array();
  for (const NodeRow& row : rows) {
    Json settings = Json::object();
    for (const WrittenField& field : row.fields)
      settings[field.path] = field.value;
    out.push_back({{"nodes", row.nodes},
                   {"used", row.used},
                   {"step_s", stepOf(row.plan)},
                   {"peak_bytes", peakOf(row.plan)},
                   {"settings", std::move(settings)},
                   {"condition", row.condition}});
  }
  return {{"schema", "dplc.nodes.1"}, {"layout", plan.layout.name}, {"rows", std::move(out)}};
}

/// A file for each layout; nothing after a report.
std::vector<OutputFile> filesOf(Session& session, const CompiledUnit& unit, const ir::Plan& plan,
                                const std::vector<NodeRow>& rows) {
  std::vector<OutputFile> files;
  for (const NodeRow& row : rows) {
    if (row.nodes != row.used)
      continue;
    const std::string text = unit.withValues(plan.layout.name, row.fields, row.ofCluster);
    if (text.empty()) {
      (void)session.diags.report<diag::FileNotWritten>(
          {}, fmt::format("`{}.nodes` cannot be set in a block without braces", plan.cluster.name));
      return {};
    }
    files.push_back({fileOf(plan, row.nodes), text, false, {}});
  }
  return files;
}
} // namespace

std::optional<std::vector<NodeRow>> tool::nodeRows(Session& session, const CompiledUnit& unit,
                                                   const ir::Plan& plan, std::uint64_t least,
                                                   unsigned jobs) {
  if (plan.cluster.nodeTypes.size() != 1 || least >= plan.cluster.nodes) {
    session.wrongUsage(fmt::format("`--min-nodes` is below the nodes of a cluster of one node "
                                   "type, found {} and {} nodes of {}",
                                   least, plan.cluster.nodes,
                                   plural(plan.cluster.nodeTypes.size(), "type")));
    return std::nullopt;
  }
  search::NodeTableRequest request;
  request.path = session.options.files.front(), request.overrides = session.settings();
  if (request.path == "-" && unit.source()) {
    request.path = session.sources.name(*unit.source()).str();
    request.text = session.sources.text(*unit.source()).str();
  }
  request.least = least;
  request.threads = jobs > 0 ? jobs : std::max(1U, std::thread::hardware_concurrency());
  FailureOr<std::vector<NodeRow>> rows = search::nodeTable(plan, request, session.diags);
  return rows.failed() ? std::nullopt : std::optional(std::move(*rows));
}

void tool::answerNodes(Session& session, const CompiledUnit& unit, const ir::Plan& plan,
                       const SearchCommandOptions& options) {
  const auto rows = nodeRows(session, unit, plan, options.minNodes, options.jobs);
  if (!rows)
    return;
  session.out =
      options.json ? textOf(nodesJson(plan, *rows)) : nodesText(plan, *rows, terminalWidth());
  if (options.output.empty())
    return;
  const std::vector<OutputFile> files = filesOf(session, unit, plan, *rows);
  if (files.empty() || writeFolder(options.output, files, session.diags).failed()) {
    session.out.clear();
    return;
  }
  if (!options.json)
    for (const OutputFile& file : files)
      session.out +=
          fmt::format("{}{}/{}\n", &file == &files.front() ? "\n" : "", options.output, file.path);
}
