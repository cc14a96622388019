//===- RowResult.cpp - A table row and its prediction -----------------------------------------===//
#include "driver/score/RowResult.h"
#include "driver/score/Assumption.h"
#include "driver/score/PlanText.h"
#include "support/Number.h"
#include "support/diagnostics/Score.h"
#include "llvm/ADT/Twine.h"
using namespace dpl;
using namespace dpl::score;

double score::baseValue(llvm::StringRef text) {
  const std::size_t end = text.find_first_not_of("0123456789._*/");
  const llvm::StringRef suffix = end == llvm::StringRef::npos ? "" : text.drop_front(end);
  const Unit* unit = suffix.empty() ? nullptr : findUnit(suffix);
  if (text.empty() || (!suffix.empty() && !unit))
    return 0;
  double value = unit ? unit->factor.toDouble() : 1;
  bool divides = false;
  for (llvm::StringRef rest = text.take_front(end); !rest.empty();) {
    const llvm::StringRef digits = rest.take_until([](char c) { return c == '*' || c == '/'; });
    const std::optional<Rational> factor = Rational::parse(digits);
    if (!factor || factor->isZero())
      return 0;
    value = divides ? value / factor->toDouble() : value * factor->toDouble();
    rest = rest.drop_front(digits.size());
    divides = rest.consume_front("/");
    if (!divides)
      (void)rest.consume_front("*");
  }
  return value;
}

namespace {
/// Why fields that columns or options set make a row's plan illegal; none if it is illegal without
/// them too.
std::optional<Finding> refusedAddition(const Mapping& mapping, const CsvTable& table,
                                       const CsvRow& row, const Mapping::ColumnPlaces& places,
                                       const ScoreOptions& options, const std::string& reason,
                                       Predictor& predictor) {
  const auto isLegal = [&](Mapping::Additions additions) {
    std::optional<Finding> wrong;
    const RowSettings settings = mapping.apply(table.header(), row, places, wrong, additions);
    return predictor.predict(settings, {}).state != Prediction::PredictionState::Refused;
  };
  if (!options.fields.empty() && isLegal(Mapping::Additions::Columns)) {
    std::string set;
    for (const auto& [path, value] : options.fields)
      set += fmt::format("{}`--set {}={}`", set.empty() ? "" : ", ", path, value);
    return finding<diag::TableRow>(row.cells.front(), fmt::format("{}: {}", set, reason));
  }
  const Cell* cause = nullptr; // the first, or one that the reason names
  std::string name;
  for (std::size_t at = 0; at < row.cells.size(); ++at) {
    const llvm::StringRef path = table.header().cells[at].text;
    if (!Mapping::isPath(path) || row.cells[at].text.empty())
      continue;
    if (!cause || llvm::StringRef(reason).contains(("`" + path.rsplit('.').second + "`").str()))
      cause = &row.cells[at], name = path.str();
  }
  if (cause && isLegal(Mapping::Additions::None))
    return finding<diag::TableRow>(*cause, fmt::format("column `{}`: {}", name, reason));
  return std::nullopt;
}
} // namespace

RowResult score::resultOf(const Mapping& mapping, const CsvTable& table, const CsvRow& row,
                          const Mapping::ColumnPlaces& places, const ScoreOptions& options,
                          Predictor& predictor, KnownPredictions& known) {
  RowResult out;
  out.settings = mapping.apply(table.header(), row, places, out.wrong);
  if (out.wrong)
    return out;
  if (options.assumption)
    assume(*options.assumption, out.settings);
  const RowSettings& settings = out.settings;
  for (const auto& [name, value] : options.filters)
    out.filtered |= settings["label." + name] != value;
  if (out.filtered)
    return out;
  if (const llvm::StringRef missing = settings["inexpressible"]; !missing.empty()) {
    out.state = ScoredRow::ScoreState::Inexpressible;
    out.reason = missing.str();
    return out;
  }
  std::vector<std::string> asked;
  std::string key = planText(settings);
  bool any = false;
  for (std::size_t q = 0; q < quantityCount; ++q) {
    const std::string name = quantities()[q].name;
    out.measured[q] = baseValue(settings["measured." + name]);
    const llvm::StringRef other = settings["predicted." + name];
    any |= out.measured[q] > 0;
    asked.push_back(out.measured[q] > 0 ? (other.empty() ? quantities()[q].predicted : other.str())
                                        : std::string());
    key += asked.back() + "\n";
  }
  key += settings["measured.collective_time"].empty() ? "" : "collective.time\n";
  const double callTime = baseValue(settings["measured.collective_time"]);
  if (callTime > 0)
    asked[BusBandwidth] = quantities()[BusBandwidth].predicted,
    asked.emplace_back("collective.time");
  if (!any && callTime == 0 && settings["outcome"].empty()) {
    const llvm::StringRef why = settings["unscored"];
    out.reason = why.empty() ? "no measured figure is given" : why.str();
    return out;
  }
  for (const auto& [path, value] : settings.all())
    if (llvm::StringRef(path).startswith("collective."))
      key.append(path).append("=").append(value).append("\n");
  out.prediction =
      known.get(key, [&] { return predictor.predict(settings, asked, options.factor); });
  out.reason = out.prediction.reason;
  // If the row has a time, its bandwidth follows from the definition that the prediction uses.
  if (const std::vector<double>& values = out.prediction.values;
      callTime > 0 && values.size() > quantityCount)
    out.measured[BusBandwidth] = values[BusBandwidth] * values[quantityCount] / callTime;
  switch (out.prediction.state) {
  case Prediction::PredictionState::Fits:
    out.state = ScoredRow::ScoreState::Fits;
    break;
  case Prediction::PredictionState::DoesNotFit:
    out.state = ScoredRow::ScoreState::DoesNotFit;
    break;
  case Prediction::PredictionState::Refused:
    out.state = ScoredRow::ScoreState::Refused;
    out.wrong = refusedAddition(mapping, table, row, places, options, out.reason, predictor);
    break;
  case Prediction::PredictionState::Unchanged:
    break;
  }
  return out;
}
