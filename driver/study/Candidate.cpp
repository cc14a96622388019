//===- Candidate.cpp - A candidate of a field in tables and pictures --------------------------===//
#include "driver/study/Candidate.h"
#include "ir/DrawnFigures.h"
#include "llvm/ADT/STLExtras.h"
#include <vector>
using namespace dpl;

ir::ResultValue study::valueOfCandidate(const ir::OpenField& field, std::uint64_t index) {
  const std::string text = field.at(index);
  if (const std::optional<ir::ResultValue> number = ir::numberWritten(text))
    return *number;
  ir::ResultValue choice;
  choice.name = llvm::StringRef(text).split(" {").first.str();
  return choice;
}

std::vector<std::string> study::shortNames(const std::vector<ir::OpenField>& fields) {
  std::vector<std::string> names;
  for (const ir::OpenField& field : fields) {
    llvm::StringRef name = llvm::StringRef(field.path).rsplit('.').second;
    const auto shared = [&](const ir::OpenField& other) {
      return other.path != field.path && llvm::StringRef(other.path).endswith(name);
    };
    while (name.size() < field.path.size() && (name.empty() || llvm::any_of(fields, shared))) {
      const llvm::StringRef before = llvm::StringRef(field.path).drop_back(name.size() + 1);
      const std::size_t dot = before.rfind('.');
      name = llvm::StringRef(field.path).drop_front(dot == llvm::StringRef::npos ? 0 : dot + 1);
    }
    names.push_back(name.str());
  }
  return names;
}

std::string study::shortCandidate(const ir::OpenField& field, std::uint64_t index) {
  const std::string text = field.at(index);
  const llvm::StringRef choice = llvm::StringRef(text).split(" {").first;
  const auto alike = llvm::count_if(
      field.values, [&](llvm::StringRef other) { return other.split(" {").first == choice; });
  return alike == 1 ? choice.str() : text;
}

namespace {
/// The fields of a choice: "a = 1" and "b = c { d = 2 }" for "choice { a = 1, b = c { d = 2 } }".
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
