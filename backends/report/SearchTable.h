#pragma once
//===- SearchTable.h - What a search found, for people and scripts ----------------------------===//
#include "ir/Space.h"
#include "support/Number.h"
#include <optional>
#include <string>
#include <vector>

namespace dpl {
class Json;
}

namespace dpl::report {

/// A layout in the ranking.
struct RankedLayout {
  std::uint64_t candidate = 0;                ///< number of the candidate in the space
  std::vector<std::string> values;            ///< values of the open fields
  std::vector<std::string> worst;             ///< values of the fields of `worst_of` in its figures
  std::vector<double> objectives;             ///< base units
  std::vector<std::optional<double>> figures; ///< base units
  std::string limit;                          ///< largest loss of time
  double limitShare = 0;                      ///< share of that loss in the step
};

/// The number of candidates with one outcome, by reason.
struct CertificateRow {
  std::string key;  ///< key of the outcome: "illegal"
  std::string text; ///< the outcome in words: "are illegal"
  std::uint64_t count = 0;
  std::vector<std::pair<std::string, std::uint64_t>> rules;
};

struct SearchTable {
  std::string file, model, cluster;
  bool ofLayout = false; ///< whether the space is that of a layout without a `search` block
  /// Whether the open degrees are those of an automatic mesh, and whether it has an expert grid.
  bool openMesh = false, expertGrid = false;
  ir::Space space;
  std::uint64_t keep = 1;           ///< number of layouts to keep
  std::vector<std::string> figures; ///< paths of the figures in the columns
  std::vector<Dimension> dimensions;
  std::vector<RankedLayout> layouts;       ///< best first
  std::vector<CertificateRow> certificate; ///< its counts add up to the candidates
  std::uint64_t executed = 0;              ///< candidates that all passes judged
  std::optional<double> leastExcluded;     ///< least bound of a step that was excluded, seconds
  std::uint64_t unsearched = 0; ///< candidates without an outcome when the search was stopped
  double leastUnsearched = 0;   ///< least bound of their steps, seconds; 0 without one

  /// By how much less than the best step a layout that was not searched may take, relative to the
  /// best; none if the step is not the objective or has no bound.
  std::optional<double> gap() const;
};

/// The ranking, the largest loss of each layout, and the certificate.
std::string searchText(const SearchTable& table, unsigned width);
/// The ranking as CSV, with a line for each layout, in base units.
std::string searchCsv(const SearchTable& table);
Json searchJson(const SearchTable& table);

} // namespace dpl::report
