//===- Candidate.cpp - A candidate of a field as a number -------------------------------------===//
#include "study/Candidate.h"
#include "llvm/ADT/STLExtras.h"
using namespace dpl;

std::string study::shortCandidate(const ir::OpenField& field, std::uint64_t index) {
  const std::string text = field.at(index);
  const llvm::StringRef choice = llvm::StringRef(text).split(" {").first;
  const auto alike = llvm::count_if(
      field.values, [&](llvm::StringRef other) { return other.split(" {").first == choice; });
  return alike == 1 ? choice.str() : text;
}

std::optional<ir::ResultValue> study::candidateValue(llvm::StringRef text) {
  text = text.split(" per ").first.trim();
  const std::size_t digits = std::min(text.size(), text.find_first_not_of("-0123456789._"));
  // An exponent belongs to the number: "2e9", and not to a unit.
  std::size_t end = digits;
  if (text.substr(end).startswith("e"))
    if (const std::size_t after = text.find_first_not_of("+-0123456789", end + 1);
        text.size() > end + 1 && after != end + 1)
      end = std::min(text.size(), after);
  const std::optional<Rational> number = Rational::parse(text.take_front(end));
  const llvm::StringRef suffix = text.drop_front(end);
  const Unit* unit = suffix.empty() ? nullptr : findUnit(suffix);
  if (end == 0 || !number || (!suffix.empty() && !unit))
    return std::nullopt;
  return ir::ResultValue{number->toDouble() * (unit ? unit->factor.toDouble() : 1),
                         unit ? unit->dimension : Dimension{}};
}
