//===- ErrorFit.cpp - Intervals of predictions, fitted to measured runs -----------------------===//
#include "driver/score/ErrorFit.h"
#include "backends/report/TextTable.h"
#include "driver/score/Assumption.h"
#include "support/Number.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <fmt/format.h>
#include <functional>
using namespace dpl;
using namespace dpl::score;
using figures::ErrorModel;
using figures::ErrorQuantity;
using figures::ErrorShares;
using figures::ErrorSource;

namespace {
constexpr double least = 0.005, most = 0.6; ///< errors beyond these do not count as more
constexpr double outside = 0.1;             ///< share of runs outside, at each end

/// Positive if the run took longer than predicted.
double errorOf(const Observation& o) { return o.ratio >= 1 ? o.ratio - 1 : 1 - 1 / o.ratio; }

/// The weight of each observation.
std::vector<double> weightsOf(llvm::ArrayRef<Observation> observations) {
  std::map<std::pair<llvm::StringRef, unsigned>, double> counts;
  for (const Observation& o : observations)
    ++counts[{o.family, o.assumption}];
  std::vector<double> weights;
  for (const Observation& o : observations)
    weights.push_back(1 / std::sqrt(counts[{o.family, o.assumption}]));
  return weights;
}

double halfWidthOf(const ErrorModel& model, const ErrorShares& shares) {
  const double error = model.error(shares);
  return (1 + model.above * error - 1 / (1 + model.below * error)) / 2;
}

/// The interval score in logarithms; the interval is from exp(−below) to exp(above).
double scoreOf(double below, double above, double ratio) {
  const double value = std::log(ratio), penalty = 1 / outside;
  return below + above + penalty * std::max({0.0, -below - value, value - above});
}
} // namespace

double score::weightedQuantile(std::vector<std::pair<double, double>> values, double share) {
  llvm::sort(values);
  double all = 0, sum = 0;
  for (const auto& [value, weight] : values)
    all += weight;
  for (const auto& [value, weight] : values)
    if ((sum += weight) >= share * all)
      return value;
  return values.empty() ? 0 : values.back().first;
}

ErrorModel score::fitErrors(llvm::ArrayRef<Observation> observations) {
  ErrorModel model;
  model.weights.fill(0.05);
  const std::vector<double> weights = weightsOf(observations);
  // Each step multiplies a weight by the root of a ratio that is 1 where the likelihood is largest;
  // such steps never lower it (majorization), and keep weights positive.
  constexpr unsigned steps = 300;
  for (unsigned step = 0; step < steps; ++step) {
    ErrorShares up{}, down{};
    for (std::size_t i = 0; i < observations.size(); ++i) {
      const Observation& o = observations[i];
      const double scale = std::max(model.error(o.shares), 1e-6);
      const double error = std::clamp(std::abs(errorOf(o)), least, most);
      for (std::size_t s = 0; s < figures::errorSources; ++s) {
        up[s] += weights[i] * o.shares[s] * error / (scale * scale);
        down[s] += weights[i] * o.shares[s] / scale;
      }
    }
    for (std::size_t s = 0; s < figures::errorSources; ++s)
      model.weights[s] = down[s] > 0 ? model.weights[s] * std::sqrt(up[s] / down[s]) : 0;
  }
  std::vector<std::pair<double, double>> standardized;
  std::set<llvm::StringRef> families;
  for (std::size_t i = 0; i < observations.size(); ++i)
    if (const Observation& o = observations[i]; o.assumption == 0) {
      const double scale = std::max(model.error(o.shares), 1e-6);
      standardized.emplace_back(errorOf(o) / scale, weights[i]);
      families.insert(o.family);
    }
  model.below = std::max(0.0, -weightedQuantile(standardized, outside));
  model.above = std::max(0.0, weightedQuantile(standardized, 1 - outside));
  model.rows = standardized.size(), model.families = families.size();
  return model;
}

namespace {
struct HeldOutRow {
  const Observation* of;
  double below, above; ///< logarithms of the ends
  double halfWidth, constant;
};

std::vector<HeldOutRow> heldOut(llvm::ArrayRef<Observation> observations) {
  std::set<std::string> families;
  for (const Observation& o : observations)
    families.insert(o.family);
  std::vector<HeldOutRow> out;
  for (const std::string& family : families) {
    std::vector<Observation> others;
    for (const Observation& o : observations)
      if (o.family != family)
        others.push_back(o);
    const ErrorModel model = fitErrors(others);
    const std::vector<double> weights = weightsOf(others);
    std::vector<std::pair<double, double>> sizes;
    for (std::size_t i = 0; i < others.size(); ++i)
      if (others[i].assumption == 0)
        sizes.emplace_back(std::abs(std::log(others[i].ratio)), weights[i]);
    const double constant = weightedQuantile(std::move(sizes), 1 - 2 * outside);
    for (const Observation& o : observations) {
      if (o.family != family || o.assumption != 0)
        continue;
      const double error = model.error(o.shares);
      out.push_back({&o, std::log1p(model.below * error), std::log1p(model.above * error),
                     halfWidthOf(model, o.shares), constant});
    }
  }
  return out;
}

template <class Holds>
IntervalQuality qualityOf(const std::vector<HeldOutRow>& rows, const Holds& holds) {
  IntervalQuality out;
  std::vector<std::pair<double, double>> widths;
  for (const HeldOutRow& row : rows) {
    if (!holds(*row.of))
      continue;
    ++out.rows;
    const double value = std::log(row.of->ratio);
    out.covered += value >= -row.below && value <= row.above ? 1 : 0;
    out.score += scoreOf(row.below, row.above, row.of->ratio);
    out.constantScore += scoreOf(row.constant, row.constant, row.of->ratio);
    widths.emplace_back(row.halfWidth, 1);
  }
  if (const auto n = static_cast<double>(out.rows); out.rows > 0)
    out.covered /= n, out.score /= n, out.constantScore /= n;
  out.halfWidth = weightedQuantile(std::move(widths), 0.5);
  return out;
}
} // namespace

std::vector<std::pair<std::string, IntervalQuality>>
score::intervalsOfOthers(llvm::ArrayRef<Observation> observations) {
  const std::vector<HeldOutRow> rows = heldOut(observations);
  const auto has = [](ErrorSource source) {
    return [source](const Observation& o) { return o.shares[figures::indexOf(source)] > 0; };
  };
  using Holds = std::function<bool(const Observation&)>;
  const Holds experts = has(ErrorSource::Experts);
  const std::pair<const char*, Holds> kinds[] = {
      {"all", [](const Observation&) { return true; }},
      {"dense, framework stated", [&](const Observation& o) { return !experts(o) && o.framework; }},
      {"dense, framework assumed",
       [&](const Observation& o) { return !experts(o) && !o.framework; }},
      {"experts", experts},
      {"network assumed", has(ErrorSource::Network)},
      {"device assumed", has(ErrorSource::Device)},
      {"launch-bound over 5 %",
       [](const Observation& o) {
         return o.shares[figures::indexOf(ErrorSource::Launches)] > 0.05;
       }},
      {"waits over 20 %",
       [](const Observation& o) { return o.shares[figures::indexOf(ErrorSource::Waits)] > 0.2; }}};
  std::vector<std::pair<std::string, IntervalQuality>> out;
  for (const auto& [name, holds] : kinds)
    if (IntervalQuality quality = qualityOf(rows, holds); quality.rows > 0)
      out.emplace_back(name, quality);
  return out;
}

std::string score::screenOf(const ErrorHistory& history, unsigned width) {
  std::string text;
  for (const auto& [title, observations] :
       {std::pair("step time", &history.steps), {"memory", &history.memory}}) {
    if (observations->empty())
      continue;
    report::TextTable table({fmt::format("80 % intervals of the {}, from other families", title),
                             "rows", "inside %", "half-width, median %", "score",
                             "score of one width"});
    for (const auto& [kind, q] : intervalsOfOthers(*observations))
      table.row({kind, std::to_string(q.rows), fmt::format("{:.1f}", 100 * q.covered),
                 fmt::format("{:.1f}", 100 * q.halfWidth), fmt::format("{:.3f}", q.score),
                 fmt::format("{:.3f}", q.constantScore)});
    text += (text.empty() ? "" : "\n") + table.render(width);
  }
  return text;
}

Json score::intervalsJson(const ErrorHistory& history) {
  Json out = {{"schema", "dplc.intervals.1"}};
  for (const auto& [name, observations] :
       {std::pair("step_time", &history.steps), {"memory", &history.memory}}) {
    Json kinds = Json::array();
    for (const auto& [kind, q] : intervalsOfOthers(*observations))
      kinds.push_back({{"kind", kind},
                       {"rows", q.rows},
                       {"inside", q.covered},
                       {"half_width", q.halfWidth},
                       {"score", q.score},
                       {"score_of_one_width", q.constantScore}});
    out[name] = std::move(kinds);
  }
  return out;
}

std::string score::errorTable(const ErrorHistory& history) {
  std::string text;
  for (const auto& [name, observations] :
       {std::pair("StepTime", &history.steps), {"Memory", &history.memory}}) {
    static constexpr const char* enumerators[] = {
#define ERROR_SOURCE(ENUMERATOR, NAME, ...) #ENUMERATOR,
#include "figures/ErrorSources.def"
    };
    const ErrorModel model = fitErrors(*observations);
    text += fmt::format("ERRORS({}, {:.3f}, {:.3f}, {}, {})\n", name, model.below, model.above,
                        model.rows, model.families);
    for (std::size_t s = 0; s < figures::errorSources; ++s)
      if (const std::string weight = fmt::format("{:.4f}", model.weights[s]); weight != "0.0000")
        text += fmt::format("WEIGHT({}, {}, {})\n", name, enumerators[s], weight);
  }
  for (const auto& [kind, count] : history.runs)
    text += fmt::format("RUNS({}, {}, {}, {}, {})\n", kind.experts, kind.tensor, kind.pipeline,
                        kind.zeroStage, count);
  return text + fmt::format("BARELY({:.3f})\n", history.barely);
}
