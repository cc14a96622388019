//===- ConstantFit.cpp - What fitted constants rest on ----------------------------------------===//
#include "driver/score/ConstantFit.h"
#include "driver/score/ErrorFit.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
using namespace dpl;
using namespace dpl::score;

namespace {
constexpr double step = 1.05;       ///< the factor with which exponents are measured
constexpr double leastShare = 1e-4; ///< smaller exponents are rounding

bool isMeasured(const ScoredRow& row) {
  return row.state == ScoredRow::ScoreState::Fits && row.pairs[StepTime].both();
}

/// Rows by their place in the tables.
using Places = std::map<std::pair<std::uint16_t, std::uint32_t>, std::size_t>;

/// The exponents of one constant, from a pass in which it is larger.
void addExponents(const Scores& scores, std::size_t constant, const Places& places,
                  std::vector<SensitiveRow>& rows) {
  for (const ScoredRow& row : scores.rows) {
    const auto place = places.find({row.table, row.line});
    if (place == places.end() || !row.pairs[StepTime].both())
      continue;
    SensitiveRow& of = rows[place->second];
    const double exponent = std::log(static_cast<double>(row.pairs[StepTime].predicted) /
                                     static_cast<double>(of.row->pairs[StepTime].predicted)) /
                            std::log(step);
    if (std::abs(exponent) > leastShare)
      of.exponents[constant] = exponent;
  }
}
} // namespace

FailureOr<ConstantHistory> score::constantHistory(llvm::ArrayRef<std::string> tables,
                                                  const ScoreOptions& options,
                                                  SourceManager& sources, DiagnosticEngine& diags) {
  FailureOr<Scores> stated = scoreTables(tables, options, sources, diags);
  if (stated.failed())
    return LogicalResult::failure();
  ConstantHistory history;
  history.scores = std::move(*stated);
  Places places;
  for (const ScoredRow& row : history.scores.rows) {
    if (!isMeasured(row))
      continue;
    places[{row.table, row.line}] = history.rows.size();
    history.rows.push_back({&row,
                            std::log1p(row.pairs[StepTime].error()),
                            history.scores.label(row, "family").str(),
                            {}});
  }
  for (std::size_t constant = 0; constant < constantCount && !history.rows.empty(); ++constant) {
    ScoreOptions of = options;
    of.factor = [constant](const ConstantUse& use) {
      return use.constant == constant ? step : 1.0;
    };
    const FailureOr<Scores> scores = scoreTables(tables, of, sources, diags);
    if (scores.failed())
      return LogicalResult::failure();
    addExponents(*scores, constant, places, history.rows);
  }
  return history;
}

namespace {
/// One constant in the fit: the rows that rest on it, with their exponents.
struct FittedUse {
  ConstantUse use;
  std::vector<std::pair<std::size_t, double>> rows;
  double logarithm = 0; ///< of the factor
};

/// The largest factor of a constant, as logarithm: a share stays at most 1.
double mostLogarithm(const ConstantUse& use) {
  const llvm::StringRef name = constantName(use.constant);
  const bool share =
      name.endswith("efficiency") || (name.startswith("sustained.") && !name.endswith("half_size"));
  return std::log(share ? std::clamp(1e6 / use.value, 1.0, mostFactor) : mostFactor);
}

/// The factor (as logarithm) at which the weighted sum of absolute errors is least: the weighted
/// median of the factors at which single rows have no error.
double bestLogarithm(std::vector<std::pair<double, double>> roots, double most) {
  return std::clamp(weightedQuantile(std::move(roots), 0.5), -std::log(mostFactor), most);
}

std::vector<double> weightsOf(llvm::ArrayRef<const SensitiveRow*> rows) {
  std::map<llvm::StringRef, double> counts;
  for (const SensitiveRow* row : rows)
    counts[row->family] += 1;
  std::vector<double> weights;
  for (const SensitiveRow* row : rows)
    weights.push_back(1 / std::sqrt(counts[row->family]));
  return weights;
}
} // namespace

ConstantFactors score::fitConstants(llvm::ArrayRef<const SensitiveRow*> rows) {
  const std::vector<double> weights = weightsOf(rows);
  std::map<ConstantUse, FittedUse> uses;
  std::vector<double> errors;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    errors.push_back(rows[i]->error);
    for (std::size_t c = 0; c < constantCount; ++c)
      if (const double exponent = rows[i]->exponents[c]; exponent != 0) {
        FittedUse& use = uses[rows[i]->row->constants.use(c)];
        use.use = rows[i]->row->constants.use(c);
        use.rows.emplace_back(i, exponent);
      }
  }
  // Each step fits one constant while the others stay, so that no step makes the sum larger.
  constexpr unsigned rounds = 30;
  for (unsigned round = 0; round < rounds; ++round)
    for (auto& [key, use] : uses) {
      std::vector<std::pair<double, double>> roots;
      for (const auto& [row, exponent] : use.rows)
        roots.emplace_back(use.logarithm - errors[row] / exponent,
                           weights[row] * std::abs(exponent));
      const double best = bestLogarithm(std::move(roots), mostLogarithm(key));
      for (const auto& [row, exponent] : use.rows)
        errors[row] += exponent * (best - use.logarithm);
      use.logarithm = best;
    }
  ConstantFactors factors;
  for (const auto& [key, use] : uses)
    factors[key] = std::exp(use.logarithm);
  return factors;
}

std::vector<ConstantBasis> score::constantBases(const ConstantHistory& history) {
  std::map<ConstantUse, ConstantBasis> bases;
  std::set<std::string> families;
  std::vector<const SensitiveRow*> all;
  for (const SensitiveRow& row : history.rows) {
    all.push_back(&row);
    families.insert(row.family);
    for (std::size_t c = 0; c < constantCount; ++c)
      if (row.exponents[c] != 0) {
        ConstantBasis& basis = bases[row.row->constants.use(c)];
        basis.use = row.row->constants.use(c);
        ++basis.rows;
        basis.families.insert(row.family);
      }
  }
  const auto valueOf = [](const ConstantUse& use, double factor) {
    return static_cast<double>(use.value) / 1e6 * factor;
  };
  for (const auto& [use, factor] : fitConstants(all)) {
    ConstantBasis& basis = bases[use];
    basis.fitted = basis.least = basis.most = valueOf(use, factor);
    constexpr double rounding = 1e-9;
    basis.atLimit = std::log(factor) > mostLogarithm(use) - rounding ||
                    std::log(factor) < rounding - std::log(mostFactor);
  }
  for (const std::string& family : families) {
    std::vector<const SensitiveRow*> others;
    for (const SensitiveRow& row : history.rows)
      if (row.family != family)
        others.push_back(&row);
    for (const auto& [use, factor] : fitConstants(others)) {
      ConstantBasis& basis = bases[use];
      basis.least = std::min(basis.least, valueOf(use, factor));
      basis.most = std::max(basis.most, valueOf(use, factor));
    }
  }
  std::vector<ConstantBasis> out;
  for (const auto& [use, basis] : bases)
    out.push_back(basis);
  return out;
}

namespace {
/// The factor of a constant that was fitted to other rows.
double factorOf(const ConstantUse& use, const ConstantFactors& fitted) {
  if (const auto found = fitted.find(use); found != fitted.end())
    return found->second;
  double sum = 0, count = 0;
  for (const auto& [other, factor] : fitted)
    if (other.constant == use.constant)
      sum += std::log(other.value * factor / use.value), count += 1;
  return count > 0 ? std::exp(sum / count) : 1;
}
} // namespace

FailureOr<std::vector<LeftOutSteps>>
score::leaveOutSteps(const ConstantHistory& history, const std::string& label,
                     llvm::ArrayRef<std::string> tables, const ScoreOptions& options,
                     SourceManager& sources, DiagnosticEngine& diags) {
  std::map<std::string, std::vector<const SensitiveRow*>> values;
  for (const SensitiveRow& row : history.rows)
    if (const llvm::StringRef value = history.scores.label(*row.row, label); !value.empty())
      values[value.str()].push_back(&row);
  std::vector<LeftOutSteps> out;
  if (values.size() < 2)
    return out;
  for (const auto& [value, rows] : values) {
    std::vector<const SensitiveRow*> others;
    for (const SensitiveRow& row : history.rows)
      if (history.scores.label(*row.row, label) != value)
        others.push_back(&row);
    const ConstantFactors fitted = fitConstants(others);
    ScoreOptions of = options;
    of.filters.emplace_back(label, value);
    of.factor = [&](const ConstantUse& use) { return factorOf(use, fitted); };
    const FailureOr<Scores> scores = scoreTables(tables, of, sources, diags);
    if (scores.failed())
      return LogicalResult::failure();
    std::map<std::pair<std::uint16_t, std::uint32_t>, double> errors;
    for (const ScoredRow& row : scores->rows)
      if (row.pairs[StepTime].both())
        errors[{row.table, row.line}] = row.pairs[StepTime].error();
    LeftOutSteps& left = out.emplace_back();
    left.value = value;
    for (const SensitiveRow* row : rows) {
      left.library.push_back(row->row->pairs[StepTime].error());
      const auto found = errors.find({row->row->table, row->row->line});
      left.others.push_back(found == errors.end() ? left.library.back() : found->second);
    }
  }
  return out;
}
