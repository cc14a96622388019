#pragma once
//===- RowResult.h - A table row and its prediction -------------------------------------------===//
#include "driver/score/Scores.h"
#include <mutex>

namespace dpl::score {

/// The result that a worker computes for a row.
struct RowResult {
  std::optional<Finding> wrong;
  RowSettings settings;
  bool filtered = false;
  ScoredRow::ScoreState state = ScoredRow::ScoreState::Unscored;
  std::string reason;
  Prediction prediction;
  std::array<double, quantityCount> measured{};
};

/// A cache of limited size for predictions, so that equal plans are compiled only once. A table may
/// have a million rows.
class KnownPredictions {
public:
  template <class Make> Prediction get(const std::string& key, Make make) {
    {
      const std::lock_guard<std::mutex> alone(several);
      if (const auto found = known.find(key); found != known.end())
        return found->second;
    }
    Prediction made = make();
    const std::lock_guard<std::mutex> alone(several);
    if (known.size() < most)
      known.try_emplace(key, made);
    return made;
  }

private:
  static constexpr std::size_t most = 4096;
  std::mutex several;
  llvm::StringMap<Prediction> known;
};

/// The value of a text in base units: "12.3s", or "4*2048/8/350.5s", whose products and quotients
/// are computed from left to right. 0 if the text is not such a value.
double baseValue(llvm::StringRef text);

RowResult resultOf(const Mapping& mapping, const CsvTable& table, const CsvRow& row,
                   const Mapping::ColumnPlaces& places, const ScoreOptions& options,
                   Predictor& predictor, KnownPredictions& known);

} // namespace dpl::score
