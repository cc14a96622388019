#pragma once
//===- Scores.h - Measured runs and their predictions -----------------------------------------===//
#include "driver/score/Mapping.h"
#include "driver/score/Predictor.h"
#include "llvm/ADT/StringMap.h"
#include <array>
#include <deque>
#include <map>
#include <set>

namespace dpl::score {

/// A quantity that rows may measure. `predicted` is the figure with which it is compared, if the
/// mapping names no other one.
struct Quantity {
  const char* name; ///< name in mappings, after "measured."
  const char* words;
  const char* predicted;
};
enum : std::size_t { StepTime, Allocated, Reserved, BusBandwidth, PartTime };
constexpr std::size_t quantityCount = PartTime + 1;
llvm::ArrayRef<Quantity> quantities();

struct MeasuredAndPredicted {
  float measured = 0, predicted = 0; ///< values in base units; 0 if there is none
  bool both() const { return measured > 0 && predicted > 0; }
  double error() const {
    return static_cast<double>(predicted) / static_cast<double>(measured) - 1;
  }
};

/// What is known about a run: that it ran, or that it was out of memory. If a table says both,
/// there is no verdict.
enum class RunOutcome : std::uint8_t { Unknown, Yes, OutOfMemory, Both };

constexpr std::size_t mostLabels = 9;

/// One row of a table, stored in little memory, because a table may have a million rows.
struct ScoredRow {
  enum class ScoreState : std::uint8_t {
    Fits,
    DoesNotFit,
    Refused,       ///< refused by the compiler
    Inexpressible, ///< uses an option that a plan cannot express
    Unscored,      ///< the measured quantity has no prediction
  };
  std::uint32_t id = 0, line = 0; ///< index into `ids`
  std::uint32_t reason = 0;       ///< index into `texts`
  std::uint32_t unknown = 0;      ///< index into `texts`: what no rule of the mapping understands
  std::uint16_t table = 0;
  std::array<std::uint16_t, mostLabels> labels{}; ///< values of the labels, as indices in `texts`;
                                                  ///< 0 is no value
  ScoreState state = ScoreState::Unscored;
  RunOutcome ran = RunOutcome::Unknown;
  std::array<MeasuredAndPredicted, quantityCount> pairs;
  std::uint64_t choice = 0; ///< equal for alternatives of one choice
  std::uint32_t devices = 0, tensor = 1, pipeline = 1, microBatch = 1, context = 0, hidden = 0,
                zeroStage = 0;
  float collectiveBytes = 0;
  float peakBytes = 0; ///< peak bytes of the fullest device, without reserved memory
  std::array<float, figures::errorSources> errorShares{};
  float headroomShare = 0; ///< share of free memory at the peak
  PlanConstants constants; ///< fitted constants that its prediction rests on
  std::uint16_t collectiveOptions =
      0; ///< index in `texts` of the equivalent options of `dplc collective`
  bool predicted() const { return state == ScoreState::Fits || state == ScoreState::DoesNotFit; }
};

/// Texts that rows share. Each has a number; 0 is the empty text.
class Texts {
public:
  Texts() { (void)number(""); }
  std::uint32_t number(llvm::StringRef text);
  /// The number of a text. If there are too many texts, it is the number of "others".
  std::uint16_t boundedNumber(llvm::StringRef text);
  llvm::StringRef operator[](std::uint32_t number) const { return all[number]; }
  std::size_t size() const { return all.size(); }

private:
  llvm::StringMap<std::uint32_t> numbers;
  std::vector<llvm::StringRef> all;
};

/// A rule of a mapping, and the rows with a measured step in which it holds.
struct RuleUse {
  Mapping::RuleText text;
  std::size_t rows = 0;
  std::set<std::uint16_t> families; ///< indices in `texts`
};

struct Scores {
  std::vector<std::string> tables;
  std::vector<std::string> mappings;                       ///< name of the mapping, by table
  std::vector<std::string> labelNames;                     ///< names of the labels: "family",
                                                           ///< "device", …
  std::string mappingFile;                                 ///< file of `--mapping`, or empty
  std::vector<std::pair<std::string, std::string>> fields; ///< fields that the command line sets
  std::deque<ScoredRow> rows;                              ///< rows; the elements of a deque do not
                                                           ///< move
  Texts texts;
  std::string ids;             ///< ids of all rows, each ended by a NUL
  std::size_t wrong = 0;       ///< number of rows that could not be read
  std::size_t filteredOut = 0; ///< number of rows that filters excluded
  /// Some values of the excluded rows, for the labels that the filters name.
  std::map<std::string, std::set<std::string>> filteredValues;
  /// The rules with conditions, by the name of their mapping.
  std::map<std::string, std::vector<RuleUse>> rules;
  llvm::StringRef id(const ScoredRow& row) const { return ids.data() + row.id; }
  llvm::StringRef label(const ScoredRow& row, llvm::StringRef name) const;
  /// The index of a label by its name, or none.
  std::optional<std::size_t> labelNamed(llvm::StringRef name) const;
};

struct Assumption;

/// A label's name and the value that rows must have.
using Filter = std::pair<std::string, std::string>;

struct ScoreOptions {
  std::string mapping; ///< file of the mapping; if empty, the first built-in mapping whose columns
                       ///< a table has
  std::vector<Filter> filters;
  std::vector<std::pair<std::string, std::string>> fields; ///< fields of every row, with priority
  /// Leaves out of every row what states this input; null: nothing.
  const Assumption* assumption = nullptr;
  ConstantFactor factor; ///< multiplies fitted constants; rows without them are not predicted
  unsigned jobs = 1;
  std::function<void(std::size_t rows)> progress;
};

/// Scores tables. Rows with errors are reported, and the others are scored. Fails if a table or the
/// mapping cannot be read. The result does not depend on the number of jobs.
FailureOr<Scores> scoreTables(llvm::ArrayRef<std::string> tables, const ScoreOptions& options,
                              SourceManager& sources, DiagnosticEngine& diags);

/// The plan of the row with this id, as text. Fails after an error was reported.
FailureOr<std::string> planOfRow(llvm::ArrayRef<std::string> tables, llvm::StringRef id,
                                 const ScoreOptions& options, SourceManager& sources,
                                 DiagnosticEngine& diags);

} // namespace dpl::score
