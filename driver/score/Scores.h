#pragma once
//===- Scores.h - Measured runs beside what is predicted of them ------------------------------===//
#include "driver/score/Mapping.h"
#include "driver/score/Predictor.h"
#include "llvm/ADT/StringMap.h"
#include <array>
#include <deque>
#include <map>
#include <set>

namespace dpl::score {

/// What a row may have measured. `predicted` is what of the plan stands against it unless the
/// mapping says another.
struct Quantity {
  const char* name; ///< "measured.NAME" of a mapping
  const char* words;
  const char* predicted;
};
enum : std::size_t { StepTime, Allocated, Reserved, BusBandwidth, PartTime, quantityCount };
llvm::ArrayRef<Quantity> quantities();

struct MeasuredAndPredicted {
  float measured = 0, predicted = 0; ///< base units; 0 where there is none
  bool both() const { return measured > 0 && predicted > 0; }
  double error() const {
    return static_cast<double>(predicted) / static_cast<double>(measured) - 1;
  }
};

/// Whether a run is known to have run, or to have been out of memory. Both marks at once is no
/// verdict.
enum class RunOutcome : std::uint8_t { Unknown, Yes, OutOfMemory, Both };

constexpr std::size_t mostLabels = 8;

/// One row. There may be a million.
struct ScoredRow {
  enum class ScoreState : std::uint8_t {
    Fits,
    DoesNotFit,
    Refused,       ///< by the compiler
    Inexpressible, ///< a construct is missing
    Unscored,      ///< what was measured has no prediction
  };
  std::uint32_t id = 0, line = 0; ///< the place of its id among the ids
  std::uint32_t reason = 0;       ///< among the texts
  std::uint16_t table = 0;
  std::array<std::uint16_t, mostLabels> labels{}; ///< among the texts; 0 is none
  ScoreState state = ScoreState::Unscored;
  RunOutcome ran = RunOutcome::Unknown;
  std::array<MeasuredAndPredicted, quantityCount> pairs;
  std::uint64_t choice = 0; ///< equal where one could have been chosen for another
  std::uint32_t devices = 0, tensor = 1, pipeline = 1, microBatch = 1, context = 0, hidden = 0;
  float collectiveBytes = 0;
  float peakBytes = 0;     ///< bytes of the fullest device at its peak, without what is reserved
  float headroomShare = 0; ///< of its memory at that time, a share
  std::uint16_t collectiveOptions =
      0; ///< among the texts: options of `dplc collective` that ask for the same
  bool predicted() const { return state == ScoreState::Fits || state == ScoreState::DoesNotFit; }
};

/// Texts that many rows share, by number; 0 is "".
class Texts {
public:
  Texts() { (void)number(""); }
  std::uint32_t number(llvm::StringRef text);
  /// As long as there are not too many; then that of "others".
  std::uint16_t boundedNumber(llvm::StringRef text);
  llvm::StringRef operator[](std::uint32_t number) const { return all[number]; }
  std::size_t size() const { return all.size(); }

private:
  llvm::StringMap<std::uint32_t> numbers;
  std::vector<llvm::StringRef> all;
};

struct Scores {
  std::vector<std::string> tables;
  std::vector<std::string> mappings;                       ///< of each table
  std::vector<std::string> labelNames;                     ///< "family", "device", …
  std::string mappingFile;                                 ///< that was given; else empty
  std::vector<std::pair<std::string, std::string>> fields; ///< that were given
  std::deque<ScoredRow> rows;                              ///< grows without moving
  Texts texts;
  std::string ids;             ///< one after the other, each ends in NUL
  std::size_t wrong = 0;       ///< rows that could not be read
  std::size_t filteredOut = 0; ///< rows that a filter leaves out
  /// Of labels that filters name: some values that the rows left out have.
  std::map<std::string, std::set<std::string>> filteredValues;
  llvm::StringRef id(const ScoredRow& row) const { return ids.data() + row.id; }
  llvm::StringRef label(const ScoredRow& row, llvm::StringRef name) const;
  /// The number of a label's name; nothing where no row has it.
  std::optional<std::size_t> labelNamed(llvm::StringRef name) const;
};

/// Name and value that the labels of a row must have.
using Filter = std::pair<std::string, std::string>;

struct ScoreOptions {
  std::string mapping; ///< a file; empty: the first carried one whose columns a table has
  std::vector<Filter> filters;
  std::vector<std::pair<std::string, std::string>> fields; ///< of every row, with the last word
  unsigned jobs = 1;
  std::function<void(std::size_t rows)> progress;
};

/// Scores tables; what is wrong with them is reported, the rest is scored. Fails where a table or
/// the mapping cannot be read at all. The same for any number of jobs.
FailureOr<Scores> scoreTables(llvm::ArrayRef<std::string> tables, const ScoreOptions& options,
                              SourceManager& sources, DiagnosticEngine& diags);

/// The plan of the row with an id as text; fails after a report.
FailureOr<std::string> planOfRow(llvm::ArrayRef<std::string> tables, llvm::StringRef id,
                                 const ScoreOptions& options, SourceManager& sources,
                                 DiagnosticEngine& diags);

} // namespace dpl::score
