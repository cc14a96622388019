//===- StepRuns.cpp - Measured steps with their layouts ---------------------------------------===//
#include "driver/calibrate/StepRuns.h"
#include "driver/score/OpenTables.h"
#include "driver/score/PlanText.h"
#include "driver/score/RowResult.h"
#include "support/Utf8.h"
#include "support/diagnostics/Score.h"
#include "support/diagnostics/Tools.h"
#include <filesystem>
using namespace dpl;
using namespace dpl::score;

namespace {
using Fields = std::vector<std::pair<std::string, std::string>>;

/// Whether the field of a layout is what its framework does, in contrast to what the user chooses.
bool isOfFramework(llvm::StringRef field) {
  return llvm::any_of(
      std::initializer_list<llvm::StringRef>{"framework", "kernels", "buffers", "overlap",
                                             "communication_options", "communicators",
                                             "fused_attention", "launch_blocking", "cuda_graphs",
                                             "vocab_multiple", "gradient_bucket_size"},
      [&](llvm::StringRef name) { return field == name || field.startswith((name + ".").str()); });
}

class RunReader {
public:
  RunReader(const std::string& cluster, const std::string& file, SourceManager& sources,
            DiagnosticEngine& diags)
      : cluster(cluster), file(file), sources(sources), diags(diags) {}

  void read(CsvTable& table, const Mapping& mapping, const ScoreOptions& options) {
    const Mapping::ColumnPlaces places = mapping.placesIn(table.header());
    CsvRow row;
    std::optional<Finding> wrong;
    std::map<std::string, std::uint64_t> lines; // by id
    while (table.next(row, wrong)) {
      RowSettings settings;
      if (!wrong)
        settings = mapping.apply(table.header(), row, places, wrong);
      const bool filtered = llvm::any_of(options.filters, [&](const Filter& filter) {
        return settings["label." + filter.first] != filter.second;
      });
      if (const std::string id = validUtf8(settings["id"]); !wrong && !filtered && !id.empty())
        if (const auto [first, fresh] = lines.try_emplace(id, row.line); !fresh)
          wrong = finding<diag::TableDuplicate>(row.cells.front(), id, first->second);
      if (!wrong && !filtered)
        add(settings, row, wrong);
      if (wrong)
        issue(*wrong, table, row, sources, diags), failed = true;
    }
  }

  StepRuns out;
  bool failed = false;

private:
  void add(RowSettings& settings, const CsvRow& row, std::optional<Finding>& wrong) {
    MeasuredRun run;
    run.name = settings["id"].empty() ? fmt::format("line {}", row.line) : settings["id"].str();
    run.seconds = baseValue(settings["measured.step_time"]);
    run.mfu = baseValue(settings["measured.mfu"]);
    if (settings["predicted.memory.reserved"].empty())
      run.reserved = baseValue(settings["measured.memory.reserved"]);
    if (run.seconds <= 0 && run.mfu <= 0 && run.reserved <= 0)
      return;
    if (const llvm::StringRef missing = settings["inexpressible"]; !missing.empty()) {
      wrong = finding<diag::TableRow>(row.cells.front(), missing);
      return;
    }
    if (!cluster.empty())
      settings.set("cluster", file.empty() ? cluster : "site." + cluster);
    // The plan is next to the file that it imports.
    const std::filesystem::path site(file);
    if (!file.empty())
      settings.set("import", "./" + site.filename().string());
    const std::string path = (site.parent_path() / "<run>").string();
    const std::string base = settings["cluster"].str();
    if (!out.cluster.empty() && base != out.cluster) {
      wrong = finding<diag::RunsOfSeveralMachines>(row.cells.front(), run.name, base, out.cluster);
      return;
    }
    DiagnosticEngine ofPlan;
    workspace.overlay(path, planText(settings));
    const std::unique_ptr<CompiledUnit> unit = workspace.compile(path, ofPlan);
    if (unit->file.failed() || unit->file->plans.size() != 1 || ofPlan.errors() > 0) {
      wrong = finding<diag::TableRow>(row.cells.front(), ofPlan.firstError());
      return;
    }
    run.plan = out.plans.size();
    out.plans.push_back(std::move(unit->file->plans.front()));
    out.runs.push_back(std::move(run));
    keepCommon(settings, out.cluster.empty());
    out.cluster = base;
  }

  /// Keeps the fields that this row sets to the same values as all rows before it.
  void keepCommon(const RowSettings& settings, bool first) {
    Fields ofCluster, ofFramework;
    for (const auto& [path, value] : settings.all()) {
      llvm::StringRef field = path;
      if (field.consume_front("cluster.") && field != "nodes" && !value.empty())
        ofCluster.emplace_back(field.str(), value);
      else if (field.consume_front("layout.") && isOfFramework(field) && !value.empty())
        ofFramework.emplace_back(field.str(), value);
    }
    const auto keep = [&](Fields& kept, const Fields& now) {
      if (first)
        kept = now;
      else
        std::erase_if(kept, [&](const auto& field) { return llvm::find(now, field) == now.end(); });
    };
    keep(out.clusterFields, ofCluster), keep(out.frameworkFields, ofFramework);
  }

  const std::string& cluster;
  const std::string& file;
  SourceManager& sources;
  DiagnosticEngine& diags;
  Workspace workspace;
};
} // namespace

FailureOr<StepRuns> score::readStepRuns(llvm::ArrayRef<std::string> tables,
                                        const std::string& cluster, const std::string& file,
                                        const ScoreOptions& options, SourceManager& sources,
                                        DiagnosticEngine& diags) {
  RunReader reader(cluster, file, sources, diags);
  const LogicalResult worked =
      forEachTable(tables, options, sources, diags, [&](CsvTable& table, const Mapping& mapping) {
        reader.read(table, mapping, options);
      });
  if (worked.failed() || reader.failed)
    return LogicalResult::failure();
  return std::move(reader.out);
}
