//===- FieldConditions.cpp - Conditions of a search on its open fields ------------------------===//
#include "driver/search/FieldConditions.h"
#include "ir/DrawnFigures.h"
#include <set>
using namespace dpl;
using namespace dpl::search;

namespace {
constexpr llvm::StringLiteral ofLayout = "layout.", meshPath = "layout.mesh.";
/// The path that expressions use for an open field.
std::string pathOf(const ir::OpenField& field) {
  return field.otherBlock ? field.path : ofLayout.str() + field.path;
}
/// Limit on the size of a condition's table of results.
constexpr std::uint64_t mostResults = 1 << 20;
} // namespace

bool search::readsFigures(const ir::Space& space, const ir::Assertion& expression) {
  const auto isField = [&](const std::string& path) {
    return llvm::StringRef(path).startswith(ofLayout) ||
           llvm::any_of(space.open, [&](const ir::OpenField& field) {
             return field.otherBlock && field.path == path;
           });
  };
  return llvm::any_of(expression.nodes, [&](const ir::AssertionNode& node) {
    return node.operation == ir::Operation::Result && !isField(node.path);
  });
}

ir::ResultValue search::valueOfCandidate(const std::string& candidate) {
  if (const std::optional<ir::ResultValue> number = ir::numberWritten(candidate))
    return *number;
  ir::ResultValue choice;
  choice.name = llvm::StringRef(candidate).split(" {").first.str();
  return choice;
}

bool search::readsField(const ir::OpenField& field, llvm::StringRef path) {
  return path == pathOf(field) || (field.path == "mesh" && path.startswith(meshPath));
}

std::optional<ir::ResultValue> search::valueAt(const ir::OpenField& field, llvm::StringRef path,
                                               const std::string& candidate) {
  return path == pathOf(field) ? std::optional(valueOfCandidate(candidate)) : std::nullopt;
}

FieldConditions::FieldConditions(const ir::Space& from)
    : space(from), strides(from.open.size(), 1) {
  for (std::size_t i = strides.size(); i-- > 1;)
    strides[i - 1] = strides[i] * space.open[i].size();
  for (const ir::Assertion& constraint : space.constraints) {
    known = known && !constraint.nodes.empty();
    if (readsFigures(space, constraint))
      continue;
    Condition condition{constraint, {}, false, {}};
    std::uint64_t size = 1;
    for (const ir::AssertionNode& node : constraint.nodes) {
      if (node.operation != ir::Operation::Result)
        continue;
      const auto field =
          llvm::find_if(space.open, [&](const auto& one) { return readsField(one, node.path); });
      // A degree of a whole mesh may be `rest`. Only a plan knows its number.
      condition.ofPlan =
          condition.ofPlan || field == space.open.end() || node.path != pathOf(*field);
      const auto index = static_cast<std::size_t>(field - space.open.begin());
      if (field != space.open.end() && !llvm::is_contained(condition.fields, index))
        condition.fields.push_back(index), size *= std::min(field->size(), mostResults);
    }
    if (size <= mostResults)
      condition.results.assign(size, 0);
    all.push_back(std::move(condition));
  }
}

bool FieldConditions::isBroken(const Condition& condition, std::uint64_t candidate) const {
  const auto find = [&](const std::string& path) -> std::optional<ir::ResultValue> {
    for (const std::size_t field : condition.fields)
      if (const auto value =
              valueAt(space.open[field], path, space.open[field].at(valueOf(candidate, field))))
        return value;
    return std::nullopt;
  };
  const ir::Verdict verdict = ir::evaluate(condition.assertion, find);
  return !verdict.known || !verdict.error.empty() || !verdict.holds;
}

const std::string* FieldConditions::broken(std::uint64_t candidate) {
  for (Condition& condition : all) {
    if (condition.ofPlan)
      continue;
    if (condition.results.empty()) {
      if (isBroken(condition, candidate))
        return &condition.assertion.source;
      continue;
    }
    std::uint64_t at = 0;
    for (const std::size_t field : condition.fields)
      at = at * space.open[field].size() + valueOf(candidate, field);
    char& result = condition.results[at];
    if (result == 0)
      result = isBroken(condition, candidate) ? 2 : 1;
    if (result == 2)
      return &condition.assertion.source;
  }
  return nullptr;
}

namespace {
bool readsOneOf(llvm::ArrayRef<std::size_t> read, const std::vector<bool>& fields) {
  return llvm::any_of(read, [&](std::size_t field) { return fields[field]; });
}
} // namespace

bool FieldConditions::read(const std::vector<bool>& fields) const {
  return llvm::any_of(
      all, [&](const Condition& condition) { return readsOneOf(condition.fields, fields); });
}

std::vector<std::size_t> FieldConditions::readWith(const std::vector<bool>& fields) const {
  std::set<std::size_t> read;
  for (const Condition& condition : all)
    if (!condition.ofPlan && readsOneOf(condition.fields, fields))
      read.insert(condition.fields.begin(), condition.fields.end());
  return {read.begin(), read.end()};
}

std::uint64_t FieldConditions::partOf(std::uint64_t candidate,
                                      llvm::ArrayRef<std::size_t> fields) const {
  std::uint64_t out = 0;
  for (const std::size_t field : fields)
    out += valueOf(candidate, field) * strides[field];
  return out;
}

bool FieldConditions::readsWithPlan(std::size_t field) const {
  return llvm::any_of(all, [&](const Condition& condition) {
    return condition.ofPlan && llvm::is_contained(condition.fields, field);
  });
}

const std::string* FieldConditions::brokenBy(const ir::Space& ofPlan) const {
  for (const Condition& condition : all)
    for (const ir::Assertion& constraint : ofPlan.constraints)
      // A value that only passes know, such as that of `rest`, counts as a figure of the plan.
      if (condition.ofPlan && constraint.source == condition.assertion.source &&
          !readsFigures(ofPlan, constraint)) {
        const ir::Verdict verdict = ir::evaluate(constraint, ir::noResult);
        if (!verdict.holds || !verdict.known || !verdict.error.empty())
          return &condition.assertion.source;
      }
  return nullptr;
}

const std::string* FieldConditions::brokenWithout(const std::vector<bool>& fields,
                                                  std::uint64_t candidate) const {
  for (const Condition& condition : all)
    if (!condition.ofPlan && !readsOneOf(condition.fields, fields) &&
        isBroken(condition, candidate))
      return &condition.assertion.source;
  return nullptr;
}
