//===- Literals.cpp - Values of number and string literals ------------------------------------===//
#include "frontend/parse/Literals.h"
#include "support/diagnostics/Parse.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
using namespace dpl;

namespace {

/// The length of the number in a quantity. An exponent is a part of the number only if digits
/// follow.
std::size_t numberLength(llvm::StringRef literal) {
  std::size_t n = literal.find_first_not_of("0123456789_.");
  if (n == llvm::StringRef::npos)
    return literal.size();
  if (literal[n] != 'e' && literal[n] != 'E')
    return n;
  std::size_t digits = n + 1;
  if (digits < literal.size() && (literal[digits] == '+' || literal[digits] == '-'))
    ++digits;
  const std::size_t end = std::min(literal.find_first_not_of("0123456789", digits), literal.size());
  return end > digits ? end : n;
}

/// The number of zeros that a metric prefix stands for; 0 for other letters.
std::size_t zerosOf(char prefix) {
  const std::size_t place = llvm::StringRef("kMGT").find(prefix);
  return place == llvm::StringRef::npos ? 0 : 3 * (place + 1);
}

LogicalResult reportUnit(llvm::StringRef number, llvm::StringRef unit, SourceRange at,
                         DiagnosticEngine& diags) {
  const auto unitBegin = static_cast<std::uint32_t>(at.end - unit.size());
  const auto [numerator, denominator] = unit.split('/');
  if (!denominator.empty() && findUnit(numerator)) {
    const auto slash = static_cast<std::uint32_t>(unitBegin + numerator.size());
    auto report = diags.report<diag::UnknownDenominator>({at.file, slash + 1, at.end}, denominator);
    if (const std::string near = suggestUnit(unit); !near.empty())
      return std::move(report)
          .help(fmt::format("write `{}{}`", number, near))
          .edit({at.file, unitBegin, at.end}, near);
    if (scopeNamed(denominator))
      return std::move(report)
          .help(fmt::format("write `{}{} per {}`", number, numerator, denominator))
          .edit({at.file, slash, slash + 1}, " per ");
    return std::move(report)
        .help(fmt::format("to divide by a value, write spaces around `/`: `{}{} / {}`", number,
                          numerator, denominator))
        .edit({at.file, slash, slash + 1}, " / ");
  }
  auto report = diags.report<diag::UnknownUnit>({at.file, unitBegin, at.end}, unit);
  if (unit == "k" || unit == "K")
    return std::move(report).help(fmt::format(
        "a count has no unit: write `{0}e3` or `{0} * 1024`; for tokens, `{0}ktok` is {0} × 1,000 "
        "and `{0}Kitok` is {0} × 1,024",
        number));
  // If a prefix is written before a unit that takes none, a similar unit would be a wrong
  // suggestion.
  if (const std::size_t zeros = zerosOf(unit[0]); zeros > 0 && findUnit(unit.drop_front()))
    return std::move(report).help(
        fmt::format("`{0}` takes no prefix: write `{1}e{2}{0}`", unit.drop_front(), number, zeros));
  const std::vector<std::string> near = suggestUnits(unit);
  if (near.empty())
    return std::move(report).help("`dplc explain units` lists the units");
  if (near.size() > 1)
    return std::move(report).help(fmt::format("write one of {}", llvm::join(near, ", ")));
  return std::move(report)
      .help(fmt::format("write `{}{}`", number, near.front()))
      .edit({at.file, unitBegin, at.end}, near.front());
}

} // namespace

FailureOr<Number> dpl::readNumber(llvm::StringRef literal, SourceRange at,
                                  DiagnosticEngine& diags) {
  const llvm::StringRef digits = literal.take_front(numberLength(literal));
  const llvm::StringRef suffix = literal.drop_front(digits.size());
  Number number;
  if (!suffix.empty()) {
    number.unit = findUnit(suffix);
    if (!number.unit)
      return reportUnit(digits, suffix, at, diags);
    number.dimension = number.unit->dimension;
  }
  std::optional<Rational> value = Rational::parse(digits);
  if (value && number.unit)
    value = Rational::multiply(*value, number.unit->factor);
  if (!value) {
    const bool isLong = literal.size() > 32;
    return diags.report<diag::NumberOverflow>(
        at, isLong ? fmt::format("a number of {} characters", literal.size())
                   : fmt::format("`{}`", literal));
  }
  number.value = *value;
  return number;
}

FailureOr<llvm::StringRef> dpl::readString(llvm::StringRef literal, SourceRange at, Arena& arena,
                                           DiagnosticEngine& diags) {
  const llvm::StringRef inner = literal.drop_front().drop_back();
  if (!inner.contains('\\'))
    return inner;
  std::string text;
  text.reserve(inner.size());
  for (std::size_t i = 0; i < inner.size(); ++i) {
    if (inner[i] != '\\') {
      text += inner[i];
      continue;
    }
    ++i; // the lexer never ends a string with a backslash
    switch (inner[i]) {
    case '"':
    case '\\':
      text += inner[i];
      break;
    case 'n':
      text += '\n';
      break;
    case 't':
      text += '\t';
      break;
    default: {
      // A message prints the whole character, which may have several bytes.
      std::size_t next = i + 1;
      while (next < inner.size() && (static_cast<unsigned char>(inner[next]) & 0xC0) == 0x80)
        ++next;
      const auto begin = static_cast<std::uint32_t>(at.begin + i);
      const auto end = static_cast<std::uint32_t>(at.begin + 1 + next);
      return diags.report<diag::UnknownEscape>({at.file, begin, end}, inner.slice(i, next))
          .help("the escapes are `\\\"`, `\\\\`, `\\n` and `\\t`");
    }
    }
  }
  return arena.copy(llvm::StringRef(text));
}

llvm::StringRef dpl::readDoc(llvm::StringRef comment, Arena& arena) {
  llvm::SmallVector<llvm::StringRef, 8> lines;
  comment.split(lines, '\n');
  llvm::SmallVector<llvm::StringRef, 8> kept;
  for (llvm::StringRef line : lines) {
    line = line.trim(" \t\r");
    if (!line.consume_front("///"))
      continue;
    line.consume_front(" ");
    kept.push_back(line);
  }
  if (kept.size() == 1)
    return kept.front();
  return arena.copy(llvm::StringRef(llvm::join(kept, "\n")));
}
