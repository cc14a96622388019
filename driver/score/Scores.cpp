//===- Scores.cpp - Measured runs and their predictions ---------------------------------------===//
#include "driver/score/Scores.h"
#include "backends/Backend.h"
#include "driver/score/OpenTables.h"
#include "driver/score/PlanText.h"
#include "driver/score/RowResult.h"
#include "support/Threads.h"
#include "support/Utf8.h"
#include "support/diagnostics/Score.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"
#include <cmath>
using namespace dpl;
using namespace dpl::score;

llvm::ArrayRef<Quantity> score::quantities() {
  static const Quantity rows[] = {
      {"step_time", "step time", "step_time"},
      {"memory.allocated", "memory, allocated", "memory.peak - device.non_tensor_memory"},
      {"memory.reserved", "memory, reserved", "memory.peak"},
      {"bus_bandwidth", "bus bandwidth", "collective.bus_bandwidth"},
      {"module_time", "time of a part", ""},
  };
  static_assert(std::size(rows) == quantityCount);
  return rows;
}

std::uint32_t Texts::number(llvm::StringRef text) {
  const auto [place, fresh] = numbers.try_emplace(text, static_cast<std::uint32_t>(all.size()));
  if (fresh)
    all.push_back(place->first());
  return place->second;
}

std::uint16_t Texts::boundedNumber(llvm::StringRef text) {
  constexpr std::size_t most = 60000;
  if (all.size() < most || numbers.count(text) > 0)
    return static_cast<std::uint16_t>(number(text));
  return static_cast<std::uint16_t>(number("others"));
}

std::optional<std::size_t> Scores::labelNamed(llvm::StringRef name) const {
  const auto found = llvm::find(labelNames, name);
  if (found == labelNames.end())
    return std::nullopt;
  return static_cast<std::size_t>(found - labelNames.begin());
}

llvm::StringRef Scores::label(const ScoredRow& row, llvm::StringRef name) const {
  const std::optional<std::size_t> at = labelNamed(name);
  return at ? texts[row.labels[*at]] : llvm::StringRef();
}

namespace {
/// Scores the rows of a table, one block of rows after another.
class TableScorer {
public:
  TableScorer(Scores& scores, const CsvTable& table, const Mapping& mapping,
              const ScoreOptions& options, SourceManager& sources, DiagnosticEngine& diags,
              KnownPredictions& known)
      : scores(scores), table(table), mapping(mapping), options(options), sources(sources),
        diags(diags), known(known), places(mapping.placesIn(table.header())),
        predictors(std::max(1U, options.jobs)) {}

  void run(CsvTable& rows) {
    constexpr std::size_t blockSize = 1024;
    std::vector<CsvRow> block;
    std::vector<std::optional<Finding>> wrong;
    for (bool more = true; more;) {
      block.clear(), wrong.clear();
      while (block.size() < blockSize) {
        CsvRow row;
        std::optional<Finding> finding;
        more = rows.next(row, finding);
        if (!more)
          break;
        block.push_back(std::move(row));
        wrong.push_back(std::move(finding));
      }
      score(block, wrong);
    }
  }

private:
  void score(const std::vector<CsvRow>& block, std::vector<std::optional<Finding>>& wrong) {
    std::vector<RowResult> results(block.size());
    onThreads(block.size(), static_cast<unsigned>(predictors.size()),
              [&](unsigned worker, std::uint64_t i) {
                if (!wrong[i])
                  results[i] = resultOf(mapping, table, block[i], places, options,
                                        predictors[worker], known);
              });
    for (std::size_t i = 0; i < block.size(); ++i) {
      if (wrong[i])
        results[i].wrong = std::move(wrong[i]);
      addRow(block[i], results[i]);
      results[i] = {};
    }
    diags.endPhase();
    if (options.progress)
      options.progress(scores.rows.size() + scores.wrong + scores.filteredOut);
  }

  void addRow(const CsvRow& row, RowResult& result) {
    std::string id = validUtf8(result.settings["id"]);
    std::replace(id.begin(), id.end(), '\0', ' ');
    if (!result.wrong && !id.empty())
      if (const auto [place, fresh] = idLines.try_emplace(llvm::xxHash64(id), row.line); !fresh)
        result.wrong = finding<diag::TableDuplicate>(
            0, static_cast<std::uint32_t>(std::min<std::size_t>(row.raw.size(), id.size())), id,
            place->second);
    if (result.wrong) {
      ++scores.wrong;
      issue(*result.wrong, table, row, sources, diags);
      return;
    }
    if (result.filtered) {
      ++scores.filteredOut;
      noteFiltered(result.settings);
      return;
    }
    ScoredRow& out = scores.rows.emplace_back();
    out.table = static_cast<std::uint16_t>(scores.tables.size() - 1);
    out.line = row.line;
    out.id = static_cast<std::uint32_t>(scores.ids.size());
    scores.ids += id.empty() ? fmt::format("line {}", row.line) : id;
    scores.ids += '\0';
    out.reason = scores.texts.boundedNumber(result.reason);
    out.unknown = scores.texts.boundedNumber(result.settings["unknown"]);
    out.state = result.state;
    const llvm::StringRef ran = result.settings["outcome"];
    out.ran = ran == "ran"    ? RunOutcome::Yes
              : ran == "oom"  ? RunOutcome::OutOfMemory
              : ran == "both" ? RunOutcome::Both
                              : RunOutcome::Unknown;
    for (const auto& [path, value] : result.settings.all())
      if (llvm::StringRef name = path; name.consume_front("label."))
        if (const std::optional<std::size_t> at = labelAt(name))
          out.labels[*at] = scores.texts.boundedNumber(value);
    const Prediction& p = result.prediction;
    for (std::size_t q = 0; q < quantityCount; ++q) {
      out.pairs[q].measured = static_cast<float>(result.measured[q]);
      if (q < p.values.size() && std::isfinite(p.values[q]))
        out.pairs[q].predicted = static_cast<float>(p.values[q]);
    }
    out.constants = p.constants;
    if (out.pairs[StepTime].measured > 0)
      noteRules(result.settings, out);
    out.choice = choiceOf(result.settings, p.batch);
    out.devices = static_cast<std::uint32_t>(p.devices);
    out.context = static_cast<std::uint32_t>(p.context);
    out.hidden = static_cast<std::uint32_t>(p.hidden);
    out.tensor = static_cast<std::uint32_t>(p.tensor);
    out.pipeline = static_cast<std::uint32_t>(p.pipeline);
    out.zeroStage = static_cast<std::uint32_t>(p.zeroStage);
    out.peakBytes = static_cast<float>(p.peakBytes);
    out.headroomShare = static_cast<float>(p.headroomShare);
    for (std::size_t i = 0; i < out.errorShares.size(); ++i)
      out.errorShares[i] = static_cast<float>(p.errorShares[i]);
    // What a source states of its framework is in several fields, and in this label.
    if (!result.settings["label.framework"].empty())
      out.errorShares[figures::indexOf(figures::ErrorSource::Framework)] = 0;
    out.microBatch = static_cast<std::uint32_t>(p.microBatch);
    out.collectiveBytes = static_cast<float>(p.collectiveBytes);
    if (p.collectiveBytes > 0)
      out.collectiveOptions = scores.texts.boundedNumber(collectiveOptions(result.settings));
  }

  /// The options of `dplc collective` for a row: "--op all_reduce --harness torch".
  static std::string collectiveOptions(const RowSettings& settings) {
    std::string text;
    for (const char* name : {"op", "harness", "algorithm"})
      if (const llvm::StringRef value = settings[fmt::format("collective.{}", name)];
          !value.empty())
        text += fmt::format("{}--{} {}", text.empty() ? "" : " ", name, shellWord(value));
    return text;
  }

  /// Counts a row with a measured step for each rule that holds in it.
  void noteRules(const RowSettings& settings, const ScoredRow& row) {
    std::vector<RuleUse>& uses = scores.rules[mapping.name()];
    if (uses.empty())
      for (std::size_t i = 0; i < mapping.ruleCount(); ++i)
        uses.push_back({mapping.ruleText(i), 0, {}});
    const std::optional<std::size_t> family = scores.labelNamed("family");
    for (const std::size_t rule : settings.rules) {
      ++uses[rule].rows;
      if (family)
        uses[rule].families.insert(row.labels[*family]);
    }
  }

  /// Records the values of an excluded row, which a filter could have named.
  void noteFiltered(const RowSettings& settings) {
    constexpr std::size_t most = 100;
    for (const auto& [path, value] : settings.all())
      if (llvm::StringRef name = path; name.consume_front("label.") && !value.empty()) {
        (void)labelAt(name);
        for (const auto& [filtered, wanted] : options.filters)
          if (std::set<std::string>& values = scores.filteredValues[filtered];
              filtered == name && values.size() < most)
            values.insert(validUtf8(value));
      }
  }

  std::optional<std::size_t> labelAt(llvm::StringRef name) {
    if (const std::optional<std::size_t> at = scores.labelNamed(name))
      return at;
    if (scores.labelNames.size() == mostLabels || scores.texts.size() > 60000)
      return std::nullopt;
    scores.labelNames.push_back(name.str());
    return scores.labelNames.size() - 1;
  }

  Scores& scores;
  const CsvTable& table;
  const Mapping& mapping;
  const ScoreOptions& options;
  SourceManager& sources;
  DiagnosticEngine& diags;
  KnownPredictions& known;
  const Mapping::ColumnPlaces places;
  std::vector<Predictor> predictors;
  llvm::DenseMap<std::uint64_t, std::uint32_t> idLines;
};
} // namespace

FailureOr<Scores> score::scoreTables(llvm::ArrayRef<std::string> tables,
                                     const ScoreOptions& options, SourceManager& sources,
                                     DiagnosticEngine& diags) {
  Scores scores;
  scores.mappingFile = options.mapping;
  scores.fields = options.fields;
  KnownPredictions known;
  const LogicalResult worked =
      forEachTable(tables, options, sources, diags, [&](CsvTable& table, const Mapping& mapping) {
        scores.tables.push_back(table.path);
        scores.mappings.push_back(mapping.name());
        TableScorer(scores, table, mapping, options, sources, diags, known).run(table);
      });
  if (worked.failed())
    return LogicalResult::failure();
  return scores;
}

FailureOr<std::string> score::planOfRow(llvm::ArrayRef<std::string> tables, llvm::StringRef id,
                                        const ScoreOptions& options, SourceManager& sources,
                                        DiagnosticEngine& diags) {
  std::string text;
  bool found = false;
  const LogicalResult worked =
      forEachTable(tables, options, sources, diags, [&](CsvTable& table, const Mapping& mapping) {
        const Mapping::ColumnPlaces places = mapping.placesIn(table.header());
        CsvRow row;
        std::optional<Finding> wrong;
        while (!found && table.next(row, wrong)) {
          RowSettings settings;
          if (!wrong)
            settings = mapping.apply(table.header(), row, places, wrong);
          const auto named = [&](const Cell& cell) { return cell.text == id; };
          const bool meant = fmt::format("line {}", row.line) == id || settings["id"] == id ||
                             (wrong && llvm::any_of(row.cells, named));
          if (!meant || found)
            continue;
          found = true;
          if (wrong) {
            issue(*wrong, table, row, sources, diags);
            continue;
          }
          if (const llvm::StringRef missing = settings["inexpressible"]; !missing.empty())
            text = fmt::format("// Without settings that DPL does not support: {}\n",
                               llvm::join(llvm::split(missing, '\n'), " "));
          text += planText(settings);
        }
      });
  if (worked.failed())
    return LogicalResult::failure();
  if (!found)
    return diags.report<diag::NoSuchRow>({}, id);
  if (text.empty())
    return LogicalResult::failure();
  return text;
}
