//===- Columns.cpp - Reads the numbers of a column in a CSV file ------------------------------===//
#include "frontend/sema/Columns.h"
#include "support/Near.h"
#include "support/Text.h"
#include "support/diagnostics/Sema.h"
using namespace dpl;
using namespace dpl::sema;

namespace {
constexpr std::size_t mostNumbers = 100'000;
constexpr std::size_t mostNames = 20; ///< limit on column names in a message

/// The cells of a line, without blanks and quotes around them. Doubled quotes inside are kept,
/// because a cell with a quote is not a number.
llvm::SmallVector<llvm::StringRef, 8> cellsOf(llvm::StringRef line) {
  llvm::SmallVector<llvm::StringRef, 8> out;
  bool quoted = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= line.size(); ++i) {
    if (i < line.size() && line[i] == '"')
      quoted = !quoted;
    if (i < line.size() && (quoted || line[i] != ','))
      continue;
    llvm::StringRef cell = line.slice(begin, i).trim();
    if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"')
      cell = cell.drop_front().drop_back();
    out.push_back(cell), begin = i + 1;
  }
  return out;
}

std::optional<Rational> numberIn(llvm::StringRef cell) {
  const bool negative = cell.consume_front("-");
  if (!negative)
    cell.consume_front("+");
  const std::optional<Rational> number =
      cell.contains('_') ? std::nullopt : Rational::parse(cell); // DPL allows `_` between digits,
                                                                 // CSV does not
  return number && negative ? Rational::subtract(0, *number) : number;
}

class ColumnReading {
public:
  ColumnReading(Shared& shared, const ColumnCall& call, std::uint32_t file)
      : shared(shared), call(call), file(file), text(shared.sources.text(file)) {}

  Value numbers() {
    llvm::StringRef rest = text;
    std::vector<Value> out;
    bool first = true;
    while (!rest.empty()) {
      llvm::StringRef line;
      std::tie(line, rest) = rest.split('\n');
      if (line.trim().empty())
        continue;
      const auto cells = cellsOf(line);
      if (std::exchange(first, false)) {
        if (!choose(cells))
          return {};
        width = cells.size();
        if (named || (index < cells.size() && !numberIn(cells[index])))
          continue; // the line with column names
      }
      if (cells.size() != width) // otherwise `1,5` in a file of one column would be 1
        return wrong(placeOf(line), fmt::format("a line of {}, the first line has {}",
                                                plural(cells.size(), "cell"), width));
      const std::optional<Rational> number = numberIn(cells[index]);
      if (!number)
        return wrong(placeOf(cells[index].empty() ? line : cells[index]),
                     fmt::format("`{}`", cells[index]));
      if (out.size() == mostNumbers) {
        shared.diags.report<diag::TooManyItems>(call.range, "the column's", mostNumbers)
            .help("a sample of the numbers or their quantiles have nearly the same distribution");
        return {};
      }
      Value value = Value::plain(Value::ValueKind::Number);
      value.number.value = *number;
      out.push_back(value.at(placeOf(cells[index])));
    }
    if (!shared.budget.spend(out.size(), call.range))
      return {};
    if (out.empty())
      return wrong(call.file.range, fmt::format("`{}`, which has no numbers", call.file.text));
    return Value::listed(Value::ValueKind::List, shared.arena.copy(llvm::makeArrayRef(out)));
  }

private:
  /// Finds the column by the cells of the first line.
  bool choose(llvm::ArrayRef<llvm::StringRef> cells) {
    named = call.column.is(Value::ValueKind::String);
    if (named) {
      const auto found = llvm::find(cells, call.column.text);
      index = static_cast<std::size_t>(found - cells.begin());
      if (const auto all = llvm::count(cells, call.column.text); all > 1) {
        shared.diags
            .report<diag::WrongArguments>(
                call.column.range, "column", "a column of its file",
                fmt::format("`{}`, which is the name of {} columns", call.column.text, all))
            .help(fmt::format("write its number, counted from 1: the first of them is {}",
                              index + 1));
        return false;
      }
    } else {
      index = static_cast<std::size_t>(call.column.number.value.asInteger().value_or(0) - 1);
    }
    if (index < cells.size())
      return true;
    const std::vector<std::string> names(cells.begin(),
                                         cells.begin() + std::min(cells.size(), mostNames));
    const bool all = named && names.size() == cells.size();
    const std::string has = fmt::format("`{}` has {}", call.file.text,
                                        all ? alternatives(names) : plural(cells.size(), "column"));
    shared.diags
        .report<diag::WrongArguments>(call.column.range, "column", "a column of its file",
                                      named ? fmt::format("`{}`", call.column.text)
                                            : call.column.number.str())
        .help(named ? didYouMean(nearNames(call.column.text.str(), names), has) : has);
    return false;
  }
  SourceRange placeOf(llvm::StringRef part) const {
    const auto begin = static_cast<std::uint32_t>(part.data() - text.data());
    return {file, begin, begin + static_cast<std::uint32_t>(part.size())};
  }
  Value wrong(SourceRange at, const std::string& found) {
    shared.diags.report<diag::WrongArguments>(at, "column", "a file of numbers", found);
    return {};
  }
  Shared& shared;
  const ColumnCall& call;
  std::uint32_t file;
  llvm::StringRef text;
  bool named = false;
  std::size_t index = 0, width = 0; ///< index of the column, and number of cells in the first line
};
} // namespace

Value sema::columnOf(Shared& shared, const ColumnCall& call) {
  const FailureOr<std::uint32_t> file = shared.files.data(call.path, call.file.range, shared.diags);
  return file.failed() ? Value{} : ColumnReading(shared, call, *file).numbers();
}
