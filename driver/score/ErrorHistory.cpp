//===- ErrorHistory.cpp - Measured runs with and without the inputs that they state -----------===//
#include "driver/score/Assumption.h"
#include "driver/score/ErrorFit.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
using namespace dpl;
using namespace dpl::score;
using figures::ErrorSource;

namespace {
using Shares = std::array<float, figures::errorSources>;

figures::ErrorShares asDoubles(const Shares& shares) {
  figures::ErrorShares out{};
  std::copy(shares.begin(), shares.end(), out.begin());
  return out;
}

/// All rows of memory have one weight.
Shares ofMemory() {
  Shares shares{};
  shares[figures::indexOf(ErrorSource::Dense)] = 1;
  return shares;
}

bool isMeasured(const ScoredRow& row, std::size_t quantity) {
  return row.pairs[quantity].both() &&
         (row.state == ScoredRow::ScoreState::Fits || (quantity != StepTime && row.predicted()));
}

/// Adds the runs of one pass. Of a pass that leaves out an input, these are the runs that state the
/// input, by the pass that leaves out nothing.
class HistoryBuilder {
public:
  HistoryBuilder(const Scores& stated, ErrorHistory& history) : stated(stated), history(history) {}

  void add(const Scores& scores, unsigned index, const Assumption* assumption) {
    for (std::size_t i = 0; i < scores.rows.size() && i < stated.rows.size(); ++i) {
      const ScoredRow& row = scores.rows[i];
      const ScoredRow& before = stated.rows[i];
      Shares shares = row.errorShares;
      if (assumption && !changes(before, row, assumption->source, shares))
        continue;
      const auto observe = [&](std::size_t quantity, const Shares& of) {
        const MeasuredAndPredicted& pair = row.pairs[quantity];
        return Observation{stated.label(before, "family").str(),
                           static_cast<double>(pair.measured) / static_cast<double>(pair.predicted),
                           asDoubles(of), index, !stated.label(before, "framework").empty()};
      };
      if (isMeasured(row, StepTime))
        history.steps.push_back(observe(StepTime, shares));
      for (const std::size_t quantity : {Allocated, Reserved})
        if (!assumption && isMeasured(row, quantity))
          history.memory.push_back(observe(quantity, ofMemory()));
    }
  }

private:
  /// Whether a row without the input has another prediction, or states the input no more.
  static bool changes(const ScoredRow& before, const ScoredRow& row, ErrorSource source,
                      Shares& shares) {
    const std::size_t s = figures::indexOf(source);
    if (source == ErrorSource::Device) // efficiencies of another generation are in the row's plan
      shares[s] = before.pairs[StepTime].predicted != row.pairs[StepTime].predicted ? 1 : 0;
    return shares[s] > 0 && before.errorShares[s] == 0;
  }

  const Scores& stated;
  ErrorHistory& history;
};

/// The largest share of free memory at which fewer than nine in ten of the runs that are predicted
/// to fit ran, of 30 runs that left no more.
double barelyOf(const Scores& scores) {
  constexpr double enough = 0.9, digits = 1000;
  constexpr std::size_t window = 30;
  std::vector<std::pair<double, bool>> runs;
  for (const ScoredRow& row : scores.rows)
    if (row.state == ScoredRow::ScoreState::Fits &&
        (row.ran == RunOutcome::Yes || row.ran == RunOutcome::OutOfMemory))
      runs.emplace_back(row.headroomShare, row.ran == RunOutcome::Yes);
  llvm::sort(runs);
  double ran = 0, share = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    ran += runs[i].second ? 1 : 0;
    if (i >= window)
      ran -= runs[i - window].second ? 1 : 0;
    if (i + 1 >= window && ran < enough * window)
      share = runs[i].first;
  }
  return std::ceil(share * digits) / digits;
}
} // namespace

FailureOr<ErrorHistory> score::errorHistory(llvm::ArrayRef<std::string> tables,
                                            const ScoreOptions& options, SourceManager& sources,
                                            DiagnosticEngine& diags) {
  const auto pass = [&](const Assumption* assumption) {
    ScoreOptions of = options;
    of.assumption = assumption;
    return scoreTables(tables, of, sources, diags);
  };
  const FailureOr<Scores> stated = pass(nullptr);
  if (stated.failed())
    return LogicalResult::failure();
  ErrorHistory history;
  for (const ScoredRow& row : stated->rows)
    if (isMeasured(row, StepTime))
      ++history.runs[{row.errorShares[figures::indexOf(ErrorSource::Experts)] > 0, row.tensor > 1,
                      row.pipeline > 1, row.zeroStage}];
  HistoryBuilder builder(*stated, history);
  builder.add(*stated, 0, nullptr);
  unsigned index = 0;
  for (const Assumption& assumption : assumptions()) {
    const FailureOr<Scores> scores = pass(&assumption);
    if (scores.failed())
      return LogicalResult::failure();
    builder.add(*scores, ++index, &assumption);
  }
  const FailureOr<Scores> scores = pass(&assumedMemory());
  if (scores.failed())
    return LogicalResult::failure();
  history.barely = barelyOf(*scores);
  return history;
}
