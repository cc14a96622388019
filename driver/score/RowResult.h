#pragma once
//===- RowResult.h - One row: what it says, and what is predicted of it -----------------------===//
#include "driver/score/Scores.h"
#include <mutex>

namespace dpl::score {

/// What a worker makes of a row.
struct RowResult {
  std::optional<Finding> wrong;
  RowSettings settings;
  bool filtered = false;
  ScoredRow::ScoreState state = ScoredRow::ScoreState::Unscored;
  std::string reason;
  Prediction prediction;
  std::array<double, quantityCount> measured{};
};

/// Equal plans are compiled once. Bounded, as a table may have a million of them.
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

/// "12.3s", "4*2048/8/350.5s": a product and quotients from left to right, in base units; 0 where
/// it is none.
double baseValue(llvm::StringRef text);

RowResult resultOf(const Mapping& mapping, const CsvTable& table, const CsvRow& row,
                   const Mapping::ColumnPlaces& places, llvm::ArrayRef<Filter> filters,
                   Predictor& predictor, KnownPredictions& known);

} // namespace dpl::score
