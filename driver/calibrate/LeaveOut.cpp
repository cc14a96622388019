//===- LeaveOut.cpp - Errors of collectives predicted from other rows -------------------------===//
#include "driver/calibrate/LeaveOut.h"
#include "backends/report/TextTable.h"
#include "driver/score/OpenTables.h"
#include "driver/score/PlanText.h"
#include "driver/score/RowResult.h"
#include "support/Text.h"
#include "support/Threads.h"
#include "support/diagnostics/Score.h"
using namespace dpl;
using namespace dpl::score;

namespace {
/// NCCL's model for one generation of scale-up links: the rate of a link divided by that of the
/// maker (src/graph/topo.h at 5067397c, SM70_NVLINK_BW to SM100_NVLINK_BW), and the efficiency of
/// reductions in switches (src/graph/tuning.cc, nvlsEfficiency).
struct Generation {
  double most; ///< largest rate of the generation in B/s per device
  double rings, inSwitch;
};
constexpr Generation generations[] = {
    {300e9, 20.0 / 25, 0}, {450e9, 20.6 / 25, 0.85}, {900e9, 40.1 / 50, 0.74}};

/// A collective on its machine, but with efficiencies that follow from the link rates alone.
MeasuredCollective unknownMachine(MeasuredCollective call) {
  for (ir::LinkLevel& level : call.links) {
    if (!level.isScaleUp())
      continue;
    const double rate = static_cast<double>(level.bandwidth) / 8;
    const Generation* of =
        level.peerLinks > 0
            ? std::begin(generations) // links without a switch
            : llvm::find_if(generations, [&](const Generation& g) { return rate <= g.most; });
    if (of == std::end(generations))
      --of;
    level.efficiency = of->rings;
    if (level.inSwitch > 0)
      level.inSwitch = of->rings * of->inSwitch;
  }
  return call;
}

/// The parameters `reach` and `reachInSwitch` are factors on the efficiencies of NCCL's model.
double whole(const ir::LinkLevel&) { return 1; }
constexpr FactKind reach{
    "domain.reach",
    FactPlace::ScaleUp,
    false,
    1.25,
    0.2,
    1e3,
    whole,
    [](ir::LinkLevel& l, double v) { l.efficiency = std::min(1.0, l.efficiency * v); }};
constexpr FactKind reachInSwitch{
    "domain.reach_in_switch",
    FactPlace::ScaleUp,
    false,
    1.25,
    0.2,
    1e3,
    [](const ir::LinkLevel& l) { return l.inSwitch > 0 ? 1.0 : 0.0; },
    [](ir::LinkLevel& l, double v) { l.inSwitch = std::min(1.0, l.inSwitch * v); }};

/// The start values of parameters that all machines share.
llvm::SmallVector<StartValue, 5> common() {
  return {
      {&reach, 1}, {&factKind("network.efficiency"), 0.8}, {&factKind("collectives.overhead"), 0}};
}
/// These start values, and those of parameters that only rows of the same machine can determine.
llvm::SmallVector<StartValue, 5> startValues() {
  llvm::SmallVector<StartValue, 5> facts = common();
  facts.push_back({&reachInSwitch, 1});
  facts.push_back({&factKind("network.latency"), 5e-6});
  return facts;
}

constexpr std::size_t leastRows = 5;
constexpr std::uint64_t large = 1 << 20;

double errorOf(const Fit& fit, const MeasuredCollective& call) {
  return call.measured.seconds / fit.predicted(call) - 1;
}
void add(BySize& to, const MeasuredCollective& call, double error) {
  (call.measured.bytes < large ? to.small : to.large).push_back(error);
}

/// The rows of tables that measure collectives, grouped in sweeps.
class Sweeps {
public:
  Sweeps(const std::string& label, const ScoreOptions& options, SourceManager& sources,
         DiagnosticEngine& diags)
      : label("label." + label), options(options), sources(sources), diags(diags) {}

  void read(CsvTable& table, const Mapping& mapping) {
    const Mapping::ColumnPlaces places = mapping.placesIn(table.header());
    CsvRow row;
    std::optional<Finding> wrong;
    while (table.next(row, wrong)) {
      RowSettings settings;
      if (!wrong)
        settings = mapping.apply(table.header(), row, places, wrong);
      if (wrong)
        issue(*wrong, table, row, sources, diags);
      else
        add(settings);
    }
  }

  const std::map<std::string, std::uint64_t>& skipped() const { return others; }

  std::vector<SizeSweep> sorted() const {
    std::vector<SizeSweep> out;
    for (const auto& [key, sweep] : sweeps) {
      out.push_back(sweep);
      llvm::stable_sort(out.back().collectives,
                        [](const MeasuredCollective& a, const MeasuredCollective& b) {
                          return a.measured.bytes < b.measured.bytes;
                        });
    }
    return out;
  }

private:
  void add(const RowSettings& settings) {
    for (const auto& [name, wanted] : options.filters)
      if (settings["label." + name] != wanted)
        return;
    const double seconds = baseValue(settings["measured.collective_time"]);
    const llvm::StringRef value = settings[label];
    Predictor::RowCollective found = collectiveOf(settings, seconds, value);
    if (!found.collective) {
      ++others[found.whyNot];
      return;
    }
    found.collective->measured.seconds = seconds;
    std::string key = value.str() + "\n" + planText(settings);
    for (const char* field : {"collective.op", "collective.harness", "collective.algorithm"})
      key += settings[field].str() + "\n";
    SizeSweep& sweep = sweeps[key];
    sweep.value = value.str();
    sweep.collectives.push_back(unknownMachine(std::move(*found.collective)));
  }
  Predictor::RowCollective collectiveOf(const RowSettings& settings, double seconds,
                                        llvm::StringRef value) {
    if (const llvm::StringRef why = settings["inexpressible"]; !why.empty())
      return {std::nullopt, why.str()};
    if (seconds <= 0)
      return {std::nullopt, "no collective was timed"};
    if (value.empty())
      return {std::nullopt, "no " + label.substr(std::string("label.").size())};
    return predictor.collective(settings);
  }

  const std::string label;
  const ScoreOptions& options;
  SourceManager& sources;
  DiagnosticEngine& diags;
  Predictor predictor;
  std::map<std::string, SizeSweep> sweeps;
  std::map<std::string, std::uint64_t> others;
};

BySize fromOthers(llvm::ArrayRef<SizeSweep> sweeps, const std::string& value) {
  std::vector<MeasuredCollective> others;
  for (const SizeSweep& sweep : sweeps)
    if (sweep.value != value)
      others.insert(others.end(), sweep.collectives.begin(), sweep.collectives.end());
  Fit fit(std::move(others), common());
  fit.run();
  BySize out;
  for (const SizeSweep& sweep : sweeps)
    if (sweep.value == value)
      for (const MeasuredCollective& call : sweep.collectives)
        add(out, call, errorOf(fit, call));
  return out;
}

/// Fits to two rows of the sweep: one below 1 MiB (the middle one, or the smallest of all), and the
/// largest.
void fromTwo(SizeSweep& sweep, BySize& out) {
  const std::size_t first =
      static_cast<std::size_t>(
          llvm::count_if(sweep.collectives,
                         [](const MeasuredCollective& c) { return c.measured.bytes < large; })) /
      2;
  Fit fit({sweep.collectives[first], sweep.collectives.back()}, startValues());
  fit.run();
  for (std::size_t i = 0; i + 1 < sweep.collectives.size(); ++i) {
    if (i == first)
      continue;
    sweep.errors.push_back(errorOf(fit, sweep.collectives[i]));
    add(out, sweep.collectives[i], sweep.errors.back());
  }
}

std::vector<std::string> cellsOf(const std::string& name, const BySize& errors) {
  std::vector<std::string> cells{name};
  for (const std::vector<double>& part : {errors.small, errors.large}) {
    const Errors e = errorsOf(part);
    cells.push_back(std::to_string(e.count));
    for (const double share : {e.median, e.p90})
      cells.push_back(e.count == 0 ? "-" : fmt::format("{:.1f}", 100 * share));
  }
  return cells;
}

std::string tableOf(const HeldOutResult& left, BySize HeldOutValue::*errors, unsigned width) {
  report::TextTable table(
      {left.label, "below 1 MiB: rows", "median %", "p90", "from 1 MiB: rows", "median %", "p90"});
  BySize all;
  for (const auto& [value, both] : left.values) {
    const BySize& here = both.*errors;
    all.small.insert(all.small.end(), here.small.begin(), here.small.end());
    all.large.insert(all.large.end(), here.large.begin(), here.large.end());
  }
  table.row(cellsOf("all", all));
  for (const auto& [value, both] : left.values)
    if (!(both.*errors).small.empty() || !(both.*errors).large.empty())
      table.row(cellsOf(value, both.*errors));
  return table.render(width);
}
} // namespace

FailureOr<HeldOutResult> score::leaveOut(llvm::ArrayRef<std::string> tables,
                                         const std::string& label, const ScoreOptions& options,
                                         SourceManager& sources, DiagnosticEngine& diags) {
  Sweeps rows(label, options, sources, diags);
  const LogicalResult worked =
      forEachTable(tables, options, sources, diags,
                   [&](CsvTable& table, const Mapping& mapping) { rows.read(table, mapping); });
  if (worked.failed())
    return LogicalResult::failure();
  std::vector<SizeSweep> sweeps = rows.sorted();
  HeldOutResult out;
  out.label = label;
  out.skipped = rows.skipped();
  std::vector<std::string> values;
  for (const SizeSweep& sweep : sweeps)
    if (out.values.try_emplace(sweep.value).second)
      values.push_back(sweep.value);
  if (values.size() < 2)
    return diags.report<diag::NothingToLeaveOut>({}, label, values.size());
  onThreads(values.size(), options.jobs, [&](unsigned, std::uint64_t i) {
    out.values.at(values[i]).others = fromOthers(sweeps, values[i]);
  });
  for (SizeSweep& sweep : sweeps)
    if (sweep.collectives.size() >= leastRows) {
      fromTwo(sweep, out.values.at(sweep.value).sameSweep);
      out.sweeps.push_back(std::move(sweep));
    }
  return out;
}

std::string score::screenOf(const HeldOutResult& left, unsigned width) {
  std::string notTaken;
  for (const auto& [why, rows] : left.skipped)
    notTaken +=
        wrapped(fmt::format("  {} left out: {}", plural(rows, "row"), why), width, 4) + "\n";
  return fmt::format("bus bandwidth with links fitted to rows of another {}\n{}\n"
                     "bus bandwidth with links fitted to two rows of the same sweep\n{}{}{}",
                     left.label, tableOf(left, &HeldOutValue::others, width),
                     tableOf(left, &HeldOutValue::sameSweep, width), notTaken.empty() ? "" : "\n",
                     notTaken);
}
