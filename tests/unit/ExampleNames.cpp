//===- ExampleNames.cpp - The names and plans of the examples, for tests that damage them -----===//
#include "tests/unit/ExampleNames.h"
#include "tests/unit/ParseTesting.h"
#include "llvm/ADT/STLExtras.h"
using namespace dpl;
using namespace dpl::test;

std::vector<std::string> test::examplePaths() {
  std::vector<std::string> out;
  for (const std::filesystem::path& path : dplFiles("examples"))
    out.push_back(path.string());
  return out;
}

std::set<std::string> test::usersOf(std::uint32_t place, FileNames& names) {
  const std::uint32_t file = *names.source();
  const std::vector<Symbol> declarations = names.outline(file);
  std::set<std::string> out;
  for (const Symbol& one : declarations)
    if (one.range.begin <= place && place <= one.range.end)
      out.insert(one.name);
  for (bool grows = true; std::exchange(grows, false);)
    for (const Symbol& user : declarations)
      for (const Symbol& used : declarations)
        if (out.count(used.name) > 0 && out.count(user.name) == 0 &&
            llvm::any_of(names.uses(file), [&](const NameUse& use) {
              return use.declaration == used.nameRange && use.use.begin >= user.range.begin &&
                     use.use.end <= user.range.end;
            }))
          grows = out.insert(user.name).second;
  return out;
}

std::string test::hashOfPrediction(ir::Plan& plan) {
  plan.assertions.clear();
  return ir::contentHash(plan);
}

EditedExample::EditedExample(std::string path)
    : text(slurp(path)), path(std::move(path)), whole(undamaged.names(this->path)) {}

const std::map<std::string, std::string>& EditedExample::hashes() {
  if (!known) {
    known.emplace();
    DiagnosticEngine diags;
    const std::unique_ptr<CompiledUnit> unit = undamaged.compile(path, diags);
    for (ir::Plan& plan : unit->file->plans)
      (*known)[plan.name] = hashOfPrediction(plan);
  }
  return *known;
}

void EditedExample::edit(const TextEdit& edit) {
  last = edit;
  damaged.overlay(path, edit.appliedTo(text));
}

double EditedExample::keptNames() {
  const std::unique_ptr<FileNames> now = damaged.names(path);
  const std::uint32_t end = last.at + last.removed;
  const auto added = static_cast<std::uint32_t>(last.added.size());
  const auto moved = [&](SourceRange at) {
    if (at.file != *whole->source())
      return whole->sources().describe(at);
    const std::uint32_t by = at.begin >= end ? added - last.removed : 0;
    return now->sources().describe({*now->source(), at.begin + by, at.end + by});
  };
  std::size_t kept = 0, all = 0;
  for (const NameUse& use : whole->uses(*whole->source())) {
    if (use.use.begin < end && use.use.end > last.at)
      continue;
    ++all;
    const std::uint32_t begin = use.use.begin + (use.use.begin >= end ? added - last.removed : 0);
    const std::optional<NameUse> found = now->useAt(*now->source(), begin);
    const bool same = found && found->thing == use.thing && found->use.begin == begin &&
                      (!use.declaration.valid() ||
                       now->sources().describe(found->declaration) == moved(use.declaration));
    kept += same;
  }
  return all == 0 ? 100 : 100.0 * static_cast<double>(kept) / static_cast<double>(all);
}

std::set<std::string> EditedExample::changedPlans() {
  std::set<std::string> out, made;
  DiagnosticEngine diags;
  const std::unique_ptr<CompiledUnit> sound = damaged.compile(path, diags);
  const std::unique_ptr<CompiledUnit> around = damaged.compileAroundMissingValues(path);
  for (const auto* unit : {&sound, &around})
    if (!(*unit)->file.failed())
      for (ir::Plan& plan : (*unit)->file->plans) {
        made.insert(plan.name);
        const auto before = hashes().find(plan.name);
        if (before == hashes().end() || before->second != hashOfPrediction(plan))
          out.insert(plan.name);
      }
  for (const auto& [name, hash] : hashes())
    if (made.count(name) == 0)
      out.insert(name);
  return out;
}
