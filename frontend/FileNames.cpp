//===- FileNames.cpp - What the names of a file and its imports mean, for editors -------------===//
#include "frontend/FileNames.h"
#include "frontend/CompilationState.h"
#include "frontend/LibrarySchemas.h"
#include "frontend/names/CommonValues.h"
#include "frontend/names/NameDetails.h"
#include "frontend/names/NameWalk.h"
#include "frontend/names/Offers.h"
#include "frontend/names/Outline.h"
#include <map>
#include <numeric>
using namespace dpl;
using namespace dpl::names;
using namespace dpl::sema;

struct FileNames::State {
  explicit State(std::shared_ptr<ParsedFiles> parsed, const std::string& path)
      : files(std::move(parsed)), known(*files, silent, nullptr),
        evaluator(known.shared, known.modules, known.schemas), lookup(evaluator), details(lookup),
        offers(lookup) {
    known.shared.keepsDamaged = true;
    main = known.modules.openFile(path);
  }

  /// The names of one file, in the order of its text.
  struct FileUses {
    std::vector<NameUse> uses;
    std::vector<Meaning> meanings; ///< meaning of each use
  };
  SourceModule* moduleOf(std::uint32_t file);
  const FileUses& usesOf(std::uint32_t file);
  std::optional<std::size_t> find(const FileUses& all, std::uint32_t byte) const;

  std::shared_ptr<ParsedFiles> files;
  DiagnosticEngine silent; ///< messages that nobody reads: a compilation reports them
  KnownDeclarations known;
  Evaluator evaluator;
  StaticLookup lookup;
  NameDetails details;
  Offers offers;
  SourceModule* main = nullptr;
  std::map<std::uint32_t, FileUses> byFile;
};

SourceModule* FileNames::State::moduleOf(std::uint32_t file) {
  if (const llvm::StringRef name = files->library.moduleOf(file); !name.empty())
    return known.modules.openLibrary(name);
  for (SourceModule& module : known.modules.all())
    if (module.ast && module.ast->id == file)
      return &module;
  return nullptr;
}

const FileNames::State::FileUses& FileNames::State::usesOf(std::uint32_t file) {
  const auto [at, isNew] = byFile.try_emplace(file);
  FileUses& out = at->second;
  SourceModule* module = isNew ? moduleOf(file) : nullptr;
  if (!module)
    return out;
  known.shared.budget.restart();
  std::vector<std::pair<NameUse, Meaning>> all;
  NameWalk walk(lookup, [&](SourceRange use, Meaning meaning, bool isDeclaration) {
    if (use.file != file)
      return;
    const NameUse one{use, meaning.thing, meaning.declaration, isDeclaration};
    all.emplace_back(one, std::move(meaning));
  });
  walk.module(*module);
  llvm::stable_sort(all, [](const auto& a, const auto& b) {
    return std::pair(a.first.use.begin, a.first.use.end) <
           std::pair(b.first.use.begin, b.first.use.end);
  });
  for (auto& [use, meaning] : all) {
    if (!out.uses.empty() && out.uses.back().use == use.use)
      continue;
    out.uses.push_back(use);
    out.meanings.push_back(std::move(meaning));
  }
  return out;
}

std::optional<std::size_t> FileNames::State::find(const FileUses& all, std::uint32_t byte) const {
  const auto after =
      llvm::partition_point(all.uses, [&](const NameUse& one) { return one.use.begin <= byte; });
  for (auto at = after; at != all.uses.begin();) {
    --at;
    if (byte <= at->use.end)
      return at - all.uses.begin();
    if (at->use.begin + 4096 < byte)
      break;
  }
  return std::nullopt;
}

FileNames::FileNames(std::shared_ptr<ParsedFiles> files, const std::string& path)
    : state(std::make_unique<State>(std::move(files), path)) {}
FileNames::~FileNames() = default;

const SourceManager& FileNames::sources() const { return state->files->sources; }

std::optional<std::uint32_t> FileNames::source() const {
  return state->main ? std::optional(state->main->ast->id) : std::nullopt;
}

std::vector<std::uint32_t> FileNames::files() const {
  std::vector<std::uint32_t> out;
  for (const SourceModule& module : state->known.modules.all())
    if (module.ast)
      out.push_back(module.ast->id);
  return out;
}

llvm::ArrayRef<NameUse> FileNames::uses(std::uint32_t file) { return state->usesOf(file).uses; }

std::optional<NameUse> FileNames::useAt(std::uint32_t file, std::uint32_t byte) {
  const State::FileUses& all = state->usesOf(file);
  const std::optional<std::size_t> found = state->find(all, byte);
  return found ? std::optional(all.uses[*found]) : std::nullopt;
}

std::optional<NameInfo> FileNames::at(std::uint32_t file, std::uint32_t byte) {
  const State::FileUses& all = state->usesOf(file);
  const std::optional<std::size_t> found = state->find(all, byte);
  if (!found)
    return std::nullopt;
  state->known.shared.budget.restart();
  NameInfo info = state->details.of(all.uses[*found], all.meanings[*found], *state->main);
  if (all.meanings[*found].field || all.uses[*found].thing == NamedThing::Param)
    info.units = usualUnits(llvm::StringRef(info.type).take_until([](char c) {
                   return c == ' ' || c == '?' || c == '[';
                 })).str();
  return info;
}

std::vector<NameUse> FileNames::references(SourceRange declaration) {
  std::vector<NameUse> out;
  for (const std::uint32_t file : files())
    for (const NameUse& use : state->usesOf(file).uses)
      if (declaration.valid() && use.declaration == declaration)
        out.push_back(use);
  return out;
}

Expected FileNames::expectedAt(std::uint32_t file, std::uint32_t byte) {
  SourceModule* module = state->moduleOf(file);
  if (!module || !module->ast)
    return {}; // the library cannot be edited
  state->known.shared.budget.restart();
  return state->offers.at(*module, byte);
}

std::vector<FieldSetting> FileNames::settings(std::uint32_t file) {
  std::vector<FieldSetting> out;
  SourceModule* module = state->moduleOf(file);
  if (!module)
    return out;
  NameWalk walk(state->lookup, nullptr);
  walk.onSetting = [&](const ast::FieldStmt& stmt, const FieldDecl& field) {
    const bool missing = !stmt.value || llvm::isa<ast::ErrorExpr>(stmt.value);
    out.push_back({tableName(field), stmt.pathRange, missing ? SourceRange() : stmt.value->range,
                   stmt.form == ast::FieldStmt::FieldForm::Candidates});
  };
  walk.module(*module);
  return out;
}

std::vector<Symbol> FileNames::outline(std::uint32_t file) {
  const SourceModule* module = state->moduleOf(file);
  return module ? outlineOf(*module, state->files->sources) : std::vector<Symbol>();
}
