#pragma once
//===- Mapping.h - What the columns of a table mean, as rules ---------------------------------===//
//
// A mapping is a JSON file (docs/reference/score.md). Its rules look at the cells
// of a row, never at its id, and set fields of a plan to texts of the language; a later rule has
// the last word.
#include "driver/score/CsvTable.h"
#include "llvm/Support/Regex.h"
#include <map>

namespace dpl::score {

/// Fields that a row sets, in the order in which they are first set: "layout.mesh.tensor" to "8",
/// "measured.step_time" to "12.3s".
class RowSettings {
public:
  void set(llvm::StringRef path, std::string value);
  /// "" when nothing sets it.
  llvm::StringRef operator[](llvm::StringRef path) const;
  const std::vector<std::pair<std::string, std::string>>& all() const { return entries; }

private:
  std::vector<std::pair<std::string, std::string>> entries;
};

class Mapping {
public:
  enum class ColumnKind : std::uint8_t { Text, Count, Number, Flag };
  struct Column {
    std::string name;
    ColumnKind kind = ColumnKind::Text;
    bool needed = false;
    std::string unit;               ///< of a number that is written without one
    std::int64_t least = 0;         ///< of a count
    std::vector<std::string> words; ///< of which a text has one; none: any text
    std::string otherwise;          ///< what an empty cell or a missing column counts as
  };

  /// Fails after a report; `name` is what messages print.
  static FailureOr<Mapping> parse(const std::string& name, std::string text, SourceManager& sources,
                                  DiagnosticEngine& diags);

  const std::string& name() const { return mappingName; }
  /// The columns that a table must have and this one lacks.
  std::vector<std::string> missingFrom(const CsvRow& header) const;
  /// How many of its columns a table has.
  std::size_t columnsIn(const CsvRow& header) const;
  /// Where the columns stand in a table: an index of its cells each.
  using ColumnPlaces = std::vector<std::optional<std::size_t>>;
  ColumnPlaces placesIn(const CsvRow& header) const;
  /// Every row has this field, whatever it and the rules say.
  void give(std::string path, std::string value) {
    given.emplace_back(std::move(path), std::move(value));
  }
  /// What a row sets. A finding where a cell cannot be what its column says.
  RowSettings apply(const CsvRow& header, const CsvRow& row, const ColumnPlaces& places,
                    std::optional<Finding>& wrong) const;

private:
  struct Condition {
    std::size_t column = 0;
    enum class ConditionTest : std::uint8_t { Matches, Differs, Less, LessEqual, More, MoreEqual };
    ConditionTest test = ConditionTest::Matches;
    std::shared_ptr<llvm::Regex> pattern;
    double bound = 0;
  };
  /// A piece of a value: literal text, a cell, or what a pattern of the rule found in one.
  struct ValuePiece {
    std::string literal;
    std::optional<std::size_t> column;
    unsigned group = 0;
  };
  struct Assignment {
    std::vector<ValuePiece> path, value;
  };
  struct MappingRule {
    std::vector<Condition> when;
    std::vector<Assignment> set;
  };
  /// The product of `wholes` is that of `factors`, or a whole multiple of it.
  struct Agreement {
    std::vector<std::size_t> wholes, factors;
    std::vector<std::size_t> unless; ///< not asked where one of these is stated
    bool multiple = false;
  };
  class MappingReader;
  std::optional<Finding> disagreement(const Agreement& agreement,
                                      const std::vector<std::string>& cells, const CsvRow& row,
                                      const ColumnPlaces& places) const;

  std::string mappingName;
  std::vector<Column> columns;
  std::vector<Agreement> agreements;
  std::vector<MappingRule> rules;
  std::vector<std::pair<std::string, std::string>> given;
};

/// The mappings that dplc carries: name and text.
struct CarriedMapping {
  llvm::StringRef name, text;
};
llvm::ArrayRef<CarriedMapping> carriedMappings();

} // namespace dpl::score
