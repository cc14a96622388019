//===- CalibrateCommand.cpp - dplc calibrate: a cluster from its own measurements -------------===//
#include "driver/calibrate/CalibrationText.h"
#include "driver/calibrate/StepCalibration.h"
#include "driver/compare/JsonStream.h"
#include "frontend/parse/Tokens.h"
#include "support/FileIo.h"
#include "support/diagnostics/Tools.h"
#include "tools/dplc/Machine.h"
#include <filesystem>
using namespace dpl;
using namespace dpl::tool;

namespace {
/// The files of the command line, and at most one .dpl file with the cluster or the plan.
struct Inputs {
  std::vector<std::string> logs, tables, traces;
  std::string file;
};

/// Whether a file is a trace of a profiler, by its first bytes: an object with the members of one,
/// or an array of events. The JSON of nccl-tests has other members, and prefixes of launchers are
/// no values: "[1,0]<stdout>: …".
bool isTrace(const std::string& path) {
  compare::ByteStream bytes;
  if (!bytes.open(path).empty())
    return false;
  constexpr std::size_t most = 4096;
  std::string begin;
  for (int c = 0; begin.size() < most && (c = bytes.next()) >= 0;)
    begin.push_back(static_cast<char>(c));
  // A damaged archive is reported as a trace.
  if (begin.empty())
    return !bytes.problem().empty();
  llvm::StringRef text = llvm::StringRef(begin).ltrim();
  if (text.consume_front("["))
    return text.ltrim().startswith("{") || text.ltrim().startswith("]");
  return text.startswith("{") &&
         (text.contains("\"traceEvents\"") || text.contains("\"schemaVersion\"") ||
          text.contains("\"distributedInfo\""));
}

/// Reads a log, decompressed if it is gzip.
FileText readLog(const std::string& path) {
  FileText read = readFile(path);
  if (read.failed() || !llvm::StringRef(read.text).startswith("\x1f\x8b"))
    return read;
  compare::ByteStream bytes;
  if (std::string wrong = bytes.open(path); !wrong.empty())
    return {FileProblem::Unreadable, std::move(wrong)};
  std::string text;
  for (int c = 0; (c = bytes.next()) >= 0;) {
    if (text.size() >= largestSourceFile)
      return {FileProblem::TooLarge};
    text.push_back(static_cast<char>(c));
  }
  return bytes.problem().empty() ? FileText(std::move(text))
                                 : FileText(FileProblem::Unreadable, bytes.problem());
}

std::optional<Inputs> inputsOf(Session& session, const CalibrateOptions& options) {
  Inputs inputs;
  for (const std::string& path : options.files) {
    const llvm::StringRef name = path;
    if (name.endswith(".csv"))
      inputs.tables.push_back(path);
    else if (!name.endswith(".dpl"))
      (isTrace(path) ? inputs.traces : inputs.logs).push_back(path);
    else if (inputs.file.empty())
      inputs.file = path;
    else {
      session.wrongUsage(fmt::format(
          "one .dpl file with the cluster is needed, found `{}` and `{}`", inputs.file, path));
      return std::nullopt;
    }
  }
  if (inputs.logs.empty() && inputs.tables.empty() && inputs.traces.empty())
    session.wrongUsage("a log of nccl-tests, a table of runs or a trace is needed, found none");
  else if (!inputs.traces.empty() && inputs.file.empty())
    session.wrongUsage("a trace needs the .dpl file with its layout, found none");
  else if (options.cluster.empty() &&
           (!inputs.logs.empty() || (!inputs.file.empty() && inputs.traces.empty())))
    session.wrongUsage("a log or a cluster of a .dpl file needs `--cluster NAME`");
  else
    return inputs;
  return std::nullopt;
}

bool readLogs(Session& session, const CalibrateOptions& options, const Inputs& inputs,
              std::vector<score::CollectiveTiming>& rows) {
  score::LogDefaults defaults;
  defaults.ranks = options.ranks, defaults.nodes = options.nodes;
  if (!options.operation.empty() &&
      !(defaults.kind = worded<ir::CollectiveKind>(session, "--op", options.operation)))
    return false;
  bool all = true;
  for (const std::string& log : inputs.logs) {
    const FailureOr<std::uint32_t> file = loadSource(session.sources, session.diags, log, readLog);
    all &=
        !file.failed() &&
        score::readCollectiveLog(*file, defaults, session.sources, session.diags, rows).succeeded();
  }
  return all;
}

/// Refuses names that no cluster of a fragment can have: keywords of DPL, and names that fragments
/// import.
bool isName(Session& session, const std::string& name) {
  if (const std::vector<Token> words = tokenize(name);
      words.size() == 2 && words.front().is(TokenKind::Identifier)) {
    DiagnosticEngine diags;
    Workspace workspace;
    workspace.overlay("named.dpl", fmt::format("import std.clusters\nimport std.models as site\n"
                                               "cluster {} from clusters.dgx_h100 {{}}\n",
                                               name));
    (void)workspace.compile("named.dpl", diags);
    if (diags.errors() == 0)
      return true;
  }
  session.wrongUsage(fmt::format("--name: `{}` is not a valid name of a cluster", name));
  return false;
}

/// The path of a file as the written file imports it: "./site.dpl".
std::string importOf(const std::string& file, const std::string& output) {
  if (file.empty() || output.empty())
    return file;
  const std::filesystem::path folder = std::filesystem::absolute(output).parent_path();
  const std::string path = std::filesystem::proximate(file, folder).generic_string();
  return llvm::StringRef(path).startswith("../") ? path : "./" + path;
}

/// The name of the calibrated cluster, by default the cluster's own with a suffix:
/// "dgx_h100_calibrated" for "clusters.dgx_h100".
std::string nameOf(const CalibrateOptions& options, const std::string& cluster) {
  if (!options.name.empty())
    return options.name;
  const llvm::StringRef last = llvm::StringRef(cluster).rsplit('.').second;
  return (last.empty() ? cluster : last.str()) + "_calibrated";
}

/// All measurements and what is found in them.
struct Found {
  std::optional<score::Calibration> links;
  score::StepRuns runs;
  std::optional<score::StepCalibration> steps;
};

/// Fits links to the logs.
bool fitLinks(Session& session, const CalibrateOptions& options, const Inputs& inputs, Found& out) {
  std::vector<score::CollectiveTiming> rows;
  if (!readLogs(session, options, inputs, rows))
    return false;
  std::uint64_t nodes = 0;
  for (const score::CollectiveTiming& row : rows)
    nodes = std::max(nodes, row.nodes);
  const MachineRequest machine{options.cluster, inputs.file};
  std::unique_ptr<CompiledUnit> unit;
  ir::Plan* plan = planOn(session, machine, 0, unit);
  if (plan && inputs.file.empty() && plan->cluster.nodes < nodes)
    plan =
        planOn(session, machine, nodesFor(plan->cluster, nodes * plan->cluster.gpusPerNode), unit);
  if (!plan)
    return false;
  FailureOr<score::Calibration> found = score::calibrate(
      plan->cluster, options.cluster, rows, score::harnessNamed(options.harness), session.diags);
  if (found.failed() || score::judge(*found, session.diags).failed())
    return false;
  out.links = std::move(*found);
  return true;
}

/// Compares each trace with the layout of the file.
bool readTraces(Session& session, const CalibrateOptions& options, const Inputs& inputs,
                const score::Calibration* links, std::vector<score::TracedRun>& traces,
                std::string& cluster) {
  if (inputs.traces.empty())
    return true;
  const std::unique_ptr<CompiledUnit> unit = session.compile(inputs.file);
  ir::Plan* const chosen = unit->file.failed() || session.diags.errors() > 0
                               ? nullptr
                               : session.choose(*unit->file, inputs.file);
  if (!chosen)
    return false;
  cluster = chosen->cluster.name;
  if (links)
    score::setLinks(*chosen, *links);
  ir::Plan complete = *chosen;
  if (Workspace::complete(complete, session.diags, withoutAdvice()).failed() &&
      complete.memory.empty())
    return false;
  for (const std::string& path : inputs.traces) {
    const FailureOr<compare::Profile> profile =
        compare::readProfile(path, options.steps, session.diags);
    if (profile.failed())
      return false;
    const std::string name = std::filesystem::path(path).filename().string();
    if (const std::string other = compare::contradictionOf(profile->head, complete);
        !other.empty()) {
      (void)session.diags.report<diag::RunNotPredicted>(SourceRange{}, name, other);
      return false;
    }
    if (!profile->emitted.empty()) {
      session.wrongUsage(fmt::format(
          "`{}` is written by `dplc emit trace`, a trace of a profiler is needed", path));
      return false;
    }
    FailureOr<compare::Comparison> found =
        compare::compareTraces(complete, {*profile}, session.diags);
    if (found.failed())
      return false;
    const std::uint64_t rank =
        compare::pipelineRankOf(complete, profile->head.rank.value_or(0)).value_or(0);
    traces.push_back({name, *chosen, std::move(*found), rank});
  }
  return true;
}

/// Fits efficiencies to the tables and traces.
bool fitSteps(Session& session, const CalibrateOptions& options, const Inputs& inputs,
              std::string& cluster, Found& out) {
  if (inputs.tables.empty() && inputs.traces.empty())
    return true;
  score::ScoreOptions tables;
  tables.mapping = options.mapping;
  for (const llvm::StringRef text : options.where) {
    const auto [label, value] = text.split('=');
    if (label.empty() || value.empty()) {
      session.wrongUsage(fmt::format("`--where {}` is not of the form LABEL=VALUE", text));
      return false;
    }
    tables.filters.emplace_back(label.str(), value.str());
  }
  const score::Calibration* const links = out.links ? &*out.links : nullptr;
  std::vector<score::TracedRun> traces;
  std::string ofTraces;
  if (!readTraces(session, options, inputs, links, traces, ofTraces))
    return false;
  if (cluster.empty())
    cluster = ofTraces;
  const bool named = !cluster.empty() && !inputs.tables.empty();
  FailureOr<score::StepRuns> runs = score::readStepRuns(
      inputs.tables, cluster, named ? inputs.file : "", tables, session.sources, session.diags);
  if (runs.failed())
    return false;
  if (runs->runs.empty() && traces.empty()) {
    session.wrongUsage("the tables have no run with a measured step or memory");
    return false;
  }
  if (cluster.empty())
    cluster = runs->cluster;
  if (links)
    for (ir::Plan& plan : runs->plans)
      score::setLinks(plan, *links);
  FailureOr<score::StepCalibration> found =
      score::calibrateSteps(*runs, traces, links != nullptr, session.diags);
  if (found.failed())
    return false;
  if (found->facts.empty() && !found->memory) {
    session.wrongUsage("nothing is fitted: no measured time or memory depends on the cluster");
    return false;
  }
  out.runs = std::move(*runs), out.steps = std::move(*found);
  return true;
}

std::string fragmentOf(const Found& found, const score::CalibrationOf& of) {
  if (!found.steps)
    return score::fragmentOf(*found.links, of);
  std::string text = found.links ? score::headOf(*found.links, of) : "";
  text += score::headOf(*found.steps, of) + score::importsOf(of);
  if (found.links)
    text += score::clusterLines(*found.links);
  return text + score::clusterLines(*found.steps, found.runs) + "}\n" +
         score::frameworkOf(found.runs, of.name + "_framework");
}

void write(Session& session, const CalibrateOptions& options, const Found& found,
           const score::CalibrationOf& of) {
  if (options.json) {
    session.out = textOf(score::jsonOf(found.links ? &*found.links : nullptr,
                                       found.steps ? &*found.steps : nullptr, of));
  } else {
    if (found.links)
      session.out += score::screenOf(*found.links, of, terminalWidth());
    if (found.steps)
      session.out +=
          (session.out.empty() ? "" : "\n") + score::screenOf(*found.steps, terminalWidth());
  }
  std::string wrote;
  if (!options.output.empty() &&
      session.writeNew(options.output, fragmentOf(found, of)).succeeded())
    wrote += fmt::format("wrote {}\n", options.output);
  if (!options.svg.empty() && found.links)
    wrote += session.writePicture(options.svg, score::pictureOf(*found.links, of));
  if (!options.json && !wrote.empty())
    session.out += "\n" + wrote;
}
} // namespace

int tool::runCalibrate(Session& session, const CalibrateOptions& options) {
  if (!options.name.empty() && !isName(session, options.name))
    return session.finish();
  const std::optional<Inputs> inputs = inputsOf(session, options);
  Found found;
  std::string cluster = options.cluster;
  if (!inputs || !session.prepare() ||
      (!inputs->logs.empty() && !fitLinks(session, options, *inputs, found)) ||
      (!cluster.empty() && !isMachine(session, {cluster, inputs->file})) ||
      !fitSteps(session, options, *inputs, cluster, found))
    return session.finish();
  std::vector<std::string> names = inputs->logs;
  names.insert(names.end(), inputs->tables.begin(), inputs->tables.end());
  names.insert(names.end(), inputs->traces.begin(), inputs->traces.end());
  write(session, options, found,
        {cluster, importOf(inputs->file, options.output), nameOf(options, cluster), names});
  return session.finish();
}
