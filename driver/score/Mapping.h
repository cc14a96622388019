#pragma once
//===- Mapping.h - Mappings from table columns to fields --------------------------------------===//
//
// A mapping is a JSON file (docs/reference/score.md). Its rules read the cells of a row, but not
// its id, and set fields of a plan to texts in DPL. If several rules set a field, the last one
// applies.
#include "driver/score/CsvTable.h"
#include "llvm/Support/Regex.h"
#include <map>

namespace dpl::score {

/// The fields that a row sets, in the order in which they were first set: "layout.mesh.tensor" to
/// "8", "measured.step_time" to "12.3s".
class RowSettings {
public:
  void set(llvm::StringRef path, std::string value);
  /// The value of a field; empty if it is not set.
  llvm::StringRef operator[](llvm::StringRef path) const;
  const std::vector<std::pair<std::string, std::string>>& all() const { return entries; }
  std::vector<std::size_t> rules; ///< rules of the mapping that hold in the row

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
    std::string unit;               ///< unit of a number without a unit
    std::int64_t least = 0;         ///< smallest value of a count
    std::vector<std::string> words; ///< allowed texts; if empty, every text is allowed
    std::string otherwise;          ///< value for an empty cell or a missing column
  };

  /// Parses a mapping. Fails after an error was reported. `name` is its name in messages.
  static FailureOr<Mapping> parse(const std::string& name, std::string text, SourceManager& sources,
                                  DiagnosticEngine& diags);

  const std::string& name() const { return mappingName; }
  /// The required columns that a table does not have.
  std::vector<std::string> missingFrom(const CsvRow& header) const;
  /// The number of columns of the mapping that a table has.
  std::size_t columnsIn(const CsvRow& header) const;
  /// For each column of the mapping, the index of its cell in the rows of a table.
  using ColumnPlaces = std::vector<std::optional<std::size_t>>;
  ColumnPlaces placesIn(const CsvRow& header) const;
  /// Sets a field in every row, in place of what the rules set.
  void give(std::string path, std::string value) {
    given.emplace_back(std::move(path), std::move(value));
  }
  /// The columns of a table that set nothing, by their index: the mapping neither reads nor ignores
  /// them, and their name is not the path of a field.
  std::vector<std::size_t> unreadIn(const CsvRow& header) const;
  /// The name of a column of the mapping that a wrong name may stand for; "" if none is near.
  std::string nearestTo(const std::string& name) const;
  /// What sets fields in addition to the rules: columns whose name is the path of a field, and
  /// `give`.
  enum class Additions : std::uint8_t { None, Columns, ColumnsAndGiven };
  /// The fields that a row sets. Sets `wrong` if a cell does not have a valid value for its column.
  RowSettings apply(const CsvRow& header, const CsvRow& row, const ColumnPlaces& places,
                    std::optional<Finding>& wrong,
                    Additions additions = Additions::ColumnsAndGiven) const;
  /// A rule in words: the fields that it sets, the columns that its conditions read, and why.
  struct RuleText {
    std::string sets, reads, why;
    bool readsFamily = false; ///< a condition reads the column of `label.family`
  };
  std::size_t ruleCount() const { return rules.size(); }
  RuleText ruleText(std::size_t rule) const;
  /// Whether the name of a column is the path of a field.
  static bool isPath(llvm::StringRef column) {
    return column.startswith("model.") || column.startswith("cluster.") ||
           column.startswith("layout.");
  }

private:
  struct Condition {
    std::size_t column = 0;
    enum class ConditionTest : std::uint8_t { Matches, Differs, Less, LessEqual, More, MoreEqual };
    ConditionTest test = ConditionTest::Matches;
    std::shared_ptr<llvm::Regex> pattern;
    double bound = 0;
  };
  /// A part of a value: a text, a cell, or a match of the rule's pattern.
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
    std::string why;
  };
  /// A condition on a row: the product of `wholes` must be equal to that of `factors`, or a
  /// multiple of it.
  struct Agreement {
    std::vector<std::size_t> wholes, factors;
    std::vector<std::size_t> unless; ///< fields; if one of them is set, the condition is not
                                     ///< checked
    bool multiple = false;
  };
  class MappingReader;
  /// The texts that a pattern of a rule has found, by column: the whole match and its groups.
  using MatchedGroups = std::map<std::size_t, llvm::SmallVector<llvm::StringRef, 4>>;
  /// The value of each column in a row; none after setting `wrong`.
  std::optional<std::vector<std::string>> cellsOf(const CsvRow& header, const CsvRow& row,
                                                  const ColumnPlaces& places,
                                                  std::optional<Finding>& wrong) const;
  /// Whether the condition holds; adds the groups of its pattern.
  static bool holds(const Condition& condition, const std::vector<std::string>& cells,
                    MatchedGroups& groups);
  static std::string textOf(const std::vector<ValuePiece>& pieces,
                            const std::vector<std::string>& cells, const MatchedGroups& groups);
  std::optional<Finding> disagreement(const Agreement& agreement,
                                      const std::vector<std::string>& cells, const CsvRow& row,
                                      const ColumnPlaces& places) const;

  std::string mappingName;
  std::vector<Column> columns;
  std::vector<std::string> ignored; ///< columns of notes
  std::vector<Agreement> agreements;
  std::vector<MappingRule> rules;
  std::vector<std::size_t> understood; ///< columns whose texts a pattern of some rule must match
  std::vector<std::pair<std::string, std::string>> given;
};

/// A mapping that dplc contains: its name and its text.
struct CarriedMapping {
  llvm::StringRef name, text;
};
llvm::ArrayRef<CarriedMapping> carriedMappings();

} // namespace dpl::score
