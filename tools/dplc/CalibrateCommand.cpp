//===- CalibrateCommand.cpp - dplc calibrate: a cluster's links from its own collectives ------===//
#include "driver/calibrate/CalibrationText.h"
#include "frontend/parse/Tokens.h"
#include "support/FileIo.h"
#include "tools/dplc/Machine.h"
#include <filesystem>
using namespace dpl;
using namespace dpl::tool;

namespace {
/// The logs of the command line and, at most one, the .dpl file with the cluster.
struct Inputs {
  std::vector<std::string> logs;
  std::string file;
};

std::optional<Inputs> inputsOf(Session& session, const CalibrateOptions& options) {
  Inputs inputs;
  for (const std::string& path : options.files) {
    if (!llvm::StringRef(path).endswith(".dpl"))
      inputs.logs.push_back(path);
    else if (inputs.file.empty())
      inputs.file = path;
    else {
      session.wrongUsage(fmt::format(
          "one .dpl file with the cluster is needed, found `{}` and `{}`", inputs.file, path));
      return std::nullopt;
    }
  }
  if (!inputs.logs.empty())
    return inputs;
  session.wrongUsage("a log of nccl-tests is needed, found none");
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
    const FailureOr<std::uint32_t> file = loadSource(session.sources, session.diags, log);
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
std::string nameOf(const CalibrateOptions& options) {
  if (!options.name.empty())
    return options.name;
  return llvm::StringRef(options.cluster).rsplit('.').second.empty()
             ? options.cluster + "_calibrated"
             : llvm::StringRef(options.cluster).rsplit('.').second.str() + "_calibrated";
}

void write(Session& session, const CalibrateOptions& options, const score::Calibration& found,
           const score::CalibrationOf& of) {
  session.out =
      options.json ? textOf(score::jsonOf(found, of)) : score::screenOf(found, of, terminalWidth());
  std::string wrote;
  if (!options.output.empty() &&
      session.writeNew(options.output, score::fragmentOf(found, of)).succeeded())
    wrote += fmt::format("wrote {}\n", options.output);
  if (!options.svg.empty())
    wrote += session.writePicture(options.svg, score::pictureOf(found, of));
  if (!options.json && !wrote.empty())
    session.out += "\n" + wrote;
}
} // namespace

int tool::runCalibrate(Session& session, const CalibrateOptions& options) {
  if (!options.name.empty() && !isName(session, options.name))
    return session.finish();
  const std::optional<Inputs> inputs = inputsOf(session, options);
  std::vector<score::CollectiveTiming> rows;
  if (!inputs || !readLogs(session, options, *inputs, rows) || !session.prepare())
    return session.finish();
  std::uint64_t nodes = 0;
  for (const score::CollectiveTiming& row : rows)
    nodes = std::max(nodes, row.nodes);
  const MachineRequest machine{options.cluster, inputs->file};
  std::unique_ptr<CompiledUnit> unit;
  ir::Plan* plan = planOn(session, machine, 0, unit);
  if (plan && inputs->file.empty() && plan->cluster.nodes < nodes)
    plan =
        planOn(session, machine, nodesFor(plan->cluster, nodes * plan->cluster.gpusPerNode), unit);
  if (!plan)
    return session.finish();
  const FailureOr<score::Calibration> found = score::calibrate(
      plan->cluster, options.cluster, rows, score::harnessNamed(options.harness), session.diags);
  if (!found.failed())
    write(session, options, *found,
          {options.cluster, importOf(inputs->file, options.output), nameOf(options), inputs->logs});
  return session.finish();
}
