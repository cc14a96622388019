//===- Candidate.cpp - A candidate of a field as a number -------------------------------------===//
#include "study/Candidate.h"
#include "llvm/ADT/STLExtras.h"
#include <vector>
using namespace dpl;

std::string study::shortCandidate(const ir::OpenField& field, std::uint64_t index) {
  const std::string text = field.at(index);
  const llvm::StringRef choice = llvm::StringRef(text).split(" {").first;
  const auto alike = llvm::count_if(
      field.values, [&](llvm::StringRef other) { return other.split(" {").first == choice; });
  return alike == 1 ? choice.str() : text;
}

namespace {
/// "a = 1" and "b = c { d = 2 }" of "choice { a = 1, b = c { d = 2 } }".
std::vector<llvm::StringRef> fieldsOf(llvm::StringRef text) {
  std::vector<llvm::StringRef> out;
  llvm::StringRef inside = text.split(" { ").second;
  (void)inside.consume_back(" }");
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    depth += llvm::StringRef("{[").contains(inside[i])   ? 1
             : llvm::StringRef("}]").contains(inside[i]) ? -1
                                                         : 0;
    if (depth == 0 && inside[i] == ',')
      out.push_back(inside.slice(begin, i).trim()), begin = i + 1;
  }
  if (const llvm::StringRef last = inside.substr(begin).trim(); !last.empty())
    out.push_back(last);
  return out;
}
} // namespace

std::string study::changedFields(const ir::OpenField& field, std::uint64_t index) {
  const std::string text = shortCandidate(field, index);
  const llvm::StringRef choice = llvm::StringRef(text).split(" {").first;
  std::vector<std::vector<llvm::StringRef>> alike;
  for (const std::string& other : field.values)
    if (llvm::StringRef(other).split(" {").first == choice)
      alike.push_back(fieldsOf(other));
  std::string out = alike.size() == field.values.size() ? "" : choice.str();
  const std::size_t ofChoice = out.size();
  for (const llvm::StringRef each : fieldsOf(text))
    if (llvm::any_of(alike, [&](const auto& other) { return !llvm::is_contained(other, each); }))
      out += (out.empty() ? "" : out.size() == ofChoice ? " " : ", ") + each.str();
  return out.size() == ofChoice ? text : out;
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
