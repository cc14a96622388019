//===- OverrideSettings.cpp - Settings of `--set path=value`, and levels by path --------------===//
#include "frontend/sema/OverrideSettings.h"
#include "frontend/parse/ParseTree.h"
#include "frontend/sema/FieldLevels.h"
#include "support/Near.h"
#include "support/diagnostics/Sema.h"
using namespace dpl;
using namespace dpl::sema;

void OverrideSettings::unknown(const Override& setting, const ast::Name& name,
                               llvm::ArrayRef<llvm::StringRef> known) {
  if (main.isPoisoned(name.text))
    return;
  shared.diags.report<diag::SetUnknownPath>(name.range, setting.origin, setting.path, name.text)
      .help(suggest(name.text, known).help);
}

Declared OverrideSettings::headed(SourceModule& module, const ast::BlockDecl& block,
                                  llvm::StringRef kind) {
  const Schema* schema = evaluator.schemas.find(module, block.blockKind.text);
  if (!schema)
    return {};
  const auto named = [&](ast::QualifiedName name) -> Declared {
    const Declared d = name.empty() ? Declared() : evaluator.modules.resolve(module, name);
    const auto* found = llvm::dyn_cast_or_null<ast::BlockDecl>(d.decl);
    const Schema* of = found ? evaluator.schemas.find(*d.module, found->blockKind.text) : nullptr;
    return of && of->isA(kind) ? d : Declared{};
  };
  Declared found;
  if (llvm::is_contained(schema->forKinds(), kind))
    found = named(block.forWhat);
  return !found && schema->onKind() == kind ? named(block.onWhere) : found;
}

/// The layout itself, or its model or cluster, which may be named in the header of a base.
Declared OverrideSettings::ofLayout(llvm::StringRef kind) {
  Declared at{&main, layout};
  if (layout && kind == "layout")
    return at;
  for (unsigned bases = 0; at && bases < 100; ++bases) { // cycles of bases are reported elsewhere
    const auto* block = llvm::dyn_cast<ast::BlockDecl>(at.decl);
    if (!block)
      break;
    if (const Declared found = headed(*at.module, *block, kind))
      return found;
    at = block->base.empty() ? Declared() : evaluator.modules.known(*at.module, block->base);
  }
  return {};
}

Declared OverrideSettings::byKind(llvm::StringRef kind, const Override& setting, bool report,
                                  bool& isKind) {
  if (const Declared ofTheOne = ofLayout(kind)) {
    isKind = true;
    return ofTheOne;
  }
  std::vector<Declared> found;
  for (const ast::Decl* decl : main.ast->declarations)
    if (const auto* block = llvm::dyn_cast<ast::BlockDecl>(decl))
      if (const Schema* schema = evaluator.schemas.find(main, block->blockKind.text);
          schema && schema->isA(kind))
        found.push_back({&main, decl});
  // The file may have no model, because the model of a layout may be in another file.
  if (found.empty())
    for (const ast::Decl* decl : main.ast->declarations)
      if (const auto* block = llvm::dyn_cast<ast::BlockDecl>(decl))
        if (const Declared d = headed(main, *block, kind);
            d && llvm::none_of(found, [&](const Declared& o) { return o.decl == d.decl; }))
          found.push_back(d);
  isKind = !found.empty();
  if (found.size() > 1 && report)
    shared.diags.report<diag::SetAmbiguous>({}, setting.origin, setting.path, found.size(), kind)
        .help(fmt::format("name the block instead of its kind, as `{}`{}",
                          llvm::cast<ast::BlockDecl>(found[0].decl)->name.text,
                          kind == "layout" ? "; with `--layout` the word `layout` means that layout"
                                           : ""));
  return found.size() == 1 ? found[0] : Declared{};
}

Declared OverrideSettings::root(llvm::ArrayRef<ast::PathStep> path, unsigned& depth,
                                const Override& setting, bool report) {
  Modules& modules = evaluator.modules;
  const ast::Name& first = path[0].name;
  depth = 1;
  if (const ast::Decl* own = modules.find(main, first.text))
    if (llvm::isa<ast::ParamDecl>(own) || llvm::isa<ast::BlockDecl>(own))
      return {&main, own};
  bool isAlias = false;
  SourceModule* const of = modules.imported(main, first.text, isAlias);
  if (of && path.size() > 1) {
    depth = 2;
    const Declared found = modules.member(*of, path[1].name.text);
    if (found && (llvm::isa<ast::BlockDecl>(found.decl) || llvm::isa<ast::ParamDecl>(found.decl)))
      return found;
    if (report)
      unknown(setting, path[1].name, modules.namesOf(*of));
    return {};
  }
  bool isKind = false;
  if (const Declared found = byKind(first.text, setting, report, isKind); found || isKind)
    return found;
  // If the file could not be read, this was reported. If it could, it has no value to set.
  if (report && (of || !isAlias)) {
    auto known = modules.aliasesOf(main);
    for (const ast::Decl* decl : main.ast->declarations)
      if (const auto* param = llvm::dyn_cast<ast::ParamDecl>(decl))
        known.push_back(param->name.text);
      else if (const auto* block = llvm::dyn_cast<ast::BlockDecl>(decl))
        known.append({block->name.text, block->blockKind.text});
    llvm::erase_value(known, first.text);
    unknown(setting, first, known);
  }
  return {};
}

LogicalResult OverrideSettings::add(const Override& setting) {
  const ast::FieldStmt* stmt =
      setting.range.valid()
          ? parseSetting(shared.sources, shared.sources.addPart(setting.range), shared.arena,
                         shared.diags)
          : shared.files.setting(setting.origin, setting.path + " = " + setting.value,
                                 shared.diags);
  if (!stmt)
    return LogicalResult::failure();
  unsigned depth = 0;
  Declared target;
  if (isAdvice(stmt->path[0].name.text)) {
    depth = 1;
    advice = true;
  } else {
    target = root(stmt->path, depth, setting, true);
    if (!target)
      return LogicalResult::failure();
  }
  // Each source, the command line or a file of overrides, may set a path once. The command line
  // overrides the file.
  std::string key = fmt::format(
      "{}|{}|", setting.range.valid() ? std::to_string(setting.range.file) : setting.origin,
      static_cast<const void*>(target.decl));
  for (const ast::PathStep& step : llvm::makeArrayRef(stmt->path).drop_front(depth))
    key += step.index ? fmt::format("[{}]", shared.sources.text(step.index->range))
                      : fmt::format(".{}", step.name.text);
  if (const auto [it, isNew] = given.try_emplace(key, stmt->pathRange); !isNew) {
    shared.diags.report<diag::SetTwice>(stmt->pathRange, setting.origin, setting.path)
        .note<diag::AlsoSetHere>(it->second)
        .help("leave out one of them");
    return LogicalResult::failure();
  }
  if (const auto* param = llvm::dyn_cast_or_null<ast::ParamDecl>(target.decl)) {
    if (depth < stmt->path.size() || stmt->form != ast::FieldStmt::FieldForm::Assign) {
      unknown(setting, stmt->path.back().name, {});
      return LogicalResult::failure();
    }
    evaluator.parameterValues[param] = stmt->value;
    return LogicalResult::success();
  }
  if (depth == stmt->path.size()) {
    shared.diags
        .report<diag::SetUnknownPath>(stmt->pathRange, setting.origin, setting.path, setting.path)
        .help("set one of its fields");
    return LogicalResult::failure();
  }
  std::vector<Setting>& levels = byDecl[target.decl];
  // Of two settings of one path the later one must apply, so it gets a level of its own.
  const SettingLevel& level =
      evaluator.level(SettingLevel::SettingLevelKind::Set, shared.keep(setting.origin), nullptr);
  levels.push_back({&level, 0, depth, stmt, &main.scope, nullptr});
  return LogicalResult::success();
}

/// Whether the name means the default `lint`, which exists if the file has no `lint` block.
bool OverrideSettings::isAdvice(llvm::StringRef name) const {
  return name == "lint" && !evaluator.modules.find(main, name) &&
         llvm::none_of(main.ast->declarations, [&](const ast::Decl* decl) {
           const auto* block = llvm::dyn_cast<ast::BlockDecl>(decl);
           const Schema* schema =
               block ? evaluator.schemas.find(main, block->blockKind.text) : nullptr;
           return schema && schema->isA("lint");
         });
}

void OverrideSettings::applyTo(Object& object) const {
  if (!object.decl && object.schema->name != "lint")
    return;
  const auto it = byDecl.find(object.decl);
  if (it == byDecl.end())
    return;
  for (Setting s : it->second) {
    s.generation = object.nextGeneration();
    object.levels.push_back(s);
  }
}

std::vector<FieldLevel> OverrideSettings::history(const std::string& path) {
  // Errors are not reported, because the file is not wrong if it does not have the path.
  DiagnosticEngine silent;
  SourceManager scratch;
  const ast::FieldStmt* stmt =
      parseSetting(scratch, scratch.add("path", path + " = 0"), questions, silent);
  unsigned depth = 0;
  const Override question{path, "", "--why"};
  const Declared target = stmt ? root(stmt->path, depth, question, false) : Declared{};
  if (!target || !llvm::isa<ast::BlockDecl>(target.decl))
    return {};
  const std::optional<FieldPlace> place =
      placeOf(evaluator, target, stmt->path.drop_front(depth), main.scope);
  return place ? levelsOf(evaluator, *place) : std::vector<FieldLevel>();
}
