//===- RandomFiles.cpp - Random files with a given mesh, for every framework ------------------===//
#include "tests/unit/RandomFiles.h"
#include "backends/Target.h"
#include "backends/report/Format.h"
#include "cost/legality/Legality.h"
#include "ir/FoundFields.h"
#include "planner/MeshSpace.h"
#include "llvm/ADT/STLExtras.h"

using namespace dpl;
using namespace dpl::test;

namespace {
/// "shard.optimizer" of "shard.optimizer = data".
llvm::StringRef fieldOf(llvm::StringRef line) { return line.trim().split(' ').first; }

/// The fields of "shard.optimizer = data, mesh { data = 2, tensor = 4 }", which has two.
std::vector<std::string> fieldsOf(llvm::StringRef change) {
  std::vector<std::string> out;
  std::size_t depth = 0, begin = 0;
  for (std::size_t i = 0; i < change.size(); ++i) {
    depth += change[i] == '{' || change[i] == '[' ? 1 : 0;
    depth -= change[i] == '}' || change[i] == ']' ? 1 : 0;
    if (depth == 0 && change[i] == ',')
      out.push_back(change.slice(begin, i).trim().str()), begin = i + 1;
  }
  out.push_back(change.drop_front(begin).trim().str());
  return out;
}

/// Where the fields of the layout begin in a file of SchemaCases.
constexpr llvm::StringRef opening = "layout plan for llm on pod {\n";

std::vector<std::string> frameworks() {
  std::vector<std::string> out{""};
  for (const Target* target : allTargets())
    if (target->role == TargetRole::Framework)
      out.push_back(target->name);
  return out;
}
} // namespace

std::string LayoutFile::text() const {
  std::string out = head;
  for (const std::string& field : fields)
    out += "  " + field + "\n";
  return out + "}\n";
}

LayoutFile LayoutFile::with(const std::vector<std::string>& changes) const {
  LayoutFile out{head, {}};
  std::vector<std::string> changed;
  for (const std::string& change : changes)
    llvm::append_range(changed, fieldsOf(change));
  for (const std::string& field : fields)
    if (llvm::none_of(changed, [&](const std::string& c) { return fieldOf(field) == fieldOf(c); }))
      out.fields.push_back(field);
  llvm::append_range(out.fields, changed);
  return out;
}

std::vector<std::string> dpl::test::quoted(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; (at = text.find('`', at)) != std::string::npos;) {
    const std::size_t end = text.find('`', at + 1);
    out.push_back(text.substr(at + 1, end - at - 1));
    at = end + 1;
  }
  return out;
}

LayoutFile RandomFiles::file() {
  static const std::vector<std::string> trainers = frameworks();
  for (;;) {
    ir::Plan plan = cases.plan();
    const std::vector<cost::LayoutCandidate> space = planner::meshSpace(plan);
    if (space.empty() || plan.layout.scheduleAutomatic)
      continue;
    planner::writeCandidate(space[below(space.size())], plan.layout, cost::hasExperts(plan.model));
    DiagnosticEngine unheard;
    const std::vector<std::string> found = ir::foundFields(plan.layout);
    if (runThrough(plan, unheard, "place-ranks").failed())
      continue;
    const llvm::StringRef text = cases.text();
    const std::size_t begin = text.find(opening) + opening.size();
    LayoutFile out{text.take_front(begin).str(), {}};
    llvm::SmallVector<llvm::StringRef, 16> lines;
    text.drop_front(begin).split(lines, '\n', -1, false);
    for (const llvm::StringRef line : lines)
      if (line != "}" && fieldOf(line) != "mesh" && fieldOf(line) != "framework")
        out.fields.push_back(line.trim().str());
    plan.mesh.found = false; // its other fields are in `found`
    std::vector<std::string> changes = report::meshLines(plan);
    changes.insert(changes.end(), found.begin(), found.end());
    if (const std::string& name = trainers[below(trainers.size())]; !name.empty())
      changes.push_back("framework = " + name);
    return out.with(changes);
  }
}
