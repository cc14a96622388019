//===- Blocks.cpp - Declared blocks: base, fragments, header ----------------------------------===//
#include "frontend/sema/Evaluator.h"
#include "frontend/sema/FrameGuard.h"
#include "support/Near.h"
#include "support/diagnostics/Schema.h"
#include "support/diagnostics/Sema.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <algorithm>
using namespace dpl;
using namespace dpl::sema;

namespace {
/// The word of messages for a declaration that is not a block.
const char* wordOf(const ast::Decl& decl) {
  return llvm::isa<ast::ParamDecl>(decl) ? "a param"
         : llvm::isa<ast::LetDecl>(decl) ? "a `let`"
                                         : "a schema";
}
} // namespace

/// Adds the defaults that schemas above `known` set in place of those of their bases. Levels of
/// schemas come before all other levels.
void Evaluator::addSchemaLevels(Object& object, const Schema* known) {
  llvm::SmallVector<const Schema*, 4> chain;
  for (const Schema* s = object.schema; s && s != known; s = s->base)
    chain.push_back(s);
  auto at = llvm::find_if(object.levels, [](const Setting& s) {
    return s.level->kind != SettingLevel::SettingLevelKind::Schema;
  });
  for (auto it = chain.rbegin(); it != chain.rend(); ++it)
    if ((*it)->amendments)
      at = std::next(object.levels.insert(
          at, {&level(SettingLevel::SettingLevelKind::Schema, (*it)->name, (*it)->ast), 0, 0,
               nullptr, &(*it)->module->scope, (*it)->amendments}));
}

Object& Evaluator::instance(const Schema& schema, const ChoiceSchema* member, Object* parent,
                            SourceRange at) {
  (void)shared.budget.spend(stepsOfAnObject, at);
  Object& o = *new (objects.Allocate()) Object;
  o.schema = &schema, o.member = member;
  o.parent = parent;
  o.range = at;
  addSchemaLevels(o);
  return o;
}

Object* Evaluator::block(Declared declared) {
  if (auto it = blocks.find(declared.decl); it != blocks.end())
    return it->second;
  if (auto at = std::find(making.begin(), making.end(), declared.decl); at != making.end()) {
    const auto& decl = llvm::cast<ast::BlockDecl>(*declared.decl);
    std::string circle;
    for (; at != making.end(); ++at)
      circle += llvm::cast<ast::BlockDecl>(*at)->name.text.str() + " -> ";
    if (reported.insert(declared.decl).second)
      shared.diags.report<diag::RecursiveBlock>(decl.name.range, decl.name.text,
                                                circle + decl.name.text.str());
    return nullptr;
  }
  if (making.size() >= FrameGuard::limit) {
    reportTooDeep(declared.decl->range, FrameGuard::limit);
    return nullptr;
  }
  making.push_back(declared.decl);
  Object* made = makeBlock(declared);
  making.pop_back();
  blocks[declared.decl] = made;
  return made;
}

/// The schema of a block's kind. Null after an error was reported.
const Schema* Evaluator::kindOf(const ast::BlockDecl& decl, SourceModule& module) {
  const llvm::StringRef kindName = decl.blockKind.text;
  const Schema* kind = schemas.find(module, kindName);
  if (!kind) {
    const Declared found = modules.findVisible(module, kindName);
    if (found && llvm::isa<ast::SchemaDecl>(found.decl))
      return nullptr; // an error in the schema was reported
    if (module.isPoisoned(kindName))
      return nullptr;
    const Suggestion near = shared.nearest(kindName, schemas.kinds(module), decl.blockKind.range);
    auto d = shared.diags.report<diag::UnknownKind>(decl.blockKind.range, kindName).help(near.help);
    if (!near.edit.empty())
      std::move(d).edit(decl.blockKind.range, near.edit);
    return nullptr;
  }
  shared.names(decl.blockKind.range, meaningOf(*kind->ast));
  if (kind->isSum()) {
    shared.diags.report<diag::NotAValue>(decl.blockKind.range, kindName, "a schema of choices")
        .help(fmt::format("choose one of them where a field wants a `{}`", kindName));
    return nullptr;
  }
  // A search has some fields of its own, which `schema layout_search from layout` declares.
  if (const Schema* search =
          decl.search ? schemas.find(module, kindName.str() + "_search") : nullptr)
    kind = search;
  return kind;
}

/// Adds the levels and the header of the base of a block. False if the base is not known or is of
/// another kind, which is reported.
bool Evaluator::addBase(Object& o, const ast::BlockDecl& decl, SourceModule& module) {
  const Declared found = modules.resolve(module, decl.base);
  if (!found)
    return false;
  const Schema *kind = o.schema, *baseSchema = nullptr;
  if (llvm::isa<ast::SchemaDecl>(found.decl)) {
    baseSchema = schemas.get(found);
  } else if (llvm::isa<ast::BlockDecl>(found.decl)) {
    const Object* base = block(found);
    if (!base)
      return false;
    baseSchema = base->schema;
    if (!shared.budget.spend(stepsOfAnObject + base->levels.size(), range(decl.base)))
      return false;
    o.levels = base->levels;
    o.header = base->header;
  } else {
    shared.diags.report<diag::WrongKind>(range(decl.base), text(decl.base), wordOf(*found.decl),
                                         "a block");
  }
  if (!baseSchema)
    return false;
  if (!baseSchema->isA(*kind) && !kind->isA(*baseSchema)) {
    shared.diags
        .report<diag::WrongKind>(range(decl.base), text(decl.base), withArticle(baseSchema->name),
                                 withArticle(decl.blockKind.text))
        .note<diag::DeclaredHere>(found.decl->range, decl.base.back().text);
    return false;
  }
  if (baseSchema->isA(*kind))
    o.schema = baseSchema;
  else if (!o.levels.empty())
    addSchemaLevels(o,
                    baseSchema); // the schema of the block may change defaults of the base's schema
  return true;
}

Object* Evaluator::makeBlock(Declared declared) {
  const auto& decl = *llvm::cast<ast::BlockDecl>(declared.decl);
  SourceModule& module = *declared.module;
  const Schema* kind = kindOf(decl, module);
  if (!kind)
    return nullptr;
  Object& o = *new (objects.Allocate()) Object;
  o.schema = kind;
  o.decl = &decl;
  o.range = decl.name.range;
  if (!decl.base.empty() && !addBase(o, decl, module))
    return nullptr;
  if (o.levels.empty())
    addSchemaLevels(o);
  const bool complete = addHeader(o, decl, module) && addFragments(o, decl, module);
  if (decl.block) {
    const llvm::StringRef label = shared.keep(
        module.isLibrary() ? fmt::format("{}.{}", module.name, o.name()) : o.name().str());
    o.levels.push_back({&level(SettingLevel::SettingLevelKind::Block, label, &decl),
                        o.nextGeneration(), 0, nullptr, &module.scope, decl.block});
    if (o.levels.size() > 1 &&
        o.levels[o.levels.size() - 2].level->kind == SettingLevel::SettingLevelKind::Fragment)
      o.levels.back().generation = o.levels[o.levels.size() - 2].generation;
  }
  if (addOuterLevels)
    addOuterLevels(o);
  if (o.schema->isA("layout"))
    addFramework(o);
  return complete ? &o : nullptr;
}

Object* Evaluator::headerObject(ast::QualifiedName name, llvm::ArrayRef<llvm::StringRef> kinds,
                                SourceModule& module) {
  const Declared found = modules.resolve(module, name);
  if (!found)
    return nullptr;
  if (!llvm::isa<ast::BlockDecl>(found.decl)) {
    shared.diags.report<diag::WrongKind>(range(name), text(name), wordOf(*found.decl), "a block");
    return nullptr;
  }
  Object* object = block(found);
  const auto isA = [&](llvm::StringRef kind) { return object->schema->isA(kind); };
  if (object && !kinds.empty() && llvm::none_of(kinds, isA)) {
    shared.diags
        .report<diag::WrongKind>(range(name), text(name), withArticle(object->schema->name),
                                 withArticles(kinds))
        .note<diag::DeclaredHere>(object->range, object->name());
    return nullptr;
  }
  return object;
}

/// Reports `for CLUSTER on MODEL` as one error, if each name would fit after the other word.
bool Evaluator::swapped(const ast::BlockDecl& decl, llvm::ArrayRef<llvm::StringRef> forKinds,
                        llvm::StringRef onKind, SourceModule& module) {
  if (decl.forWhat.empty() || decl.onWhere.empty() || forKinds.empty() || onKind.empty())
    return false;
  auto isA = [&](ast::QualifiedName name, llvm::StringRef kind) {
    const Declared found = modules.known(module, name);
    const auto* named = llvm::dyn_cast_or_null<ast::BlockDecl>(found.decl);
    const Schema* schema = named ? schemas.find(*found.module, named->blockKind.text) : nullptr;
    return schema && schema->isA(kind);
  };
  const auto standsFor = [&](llvm::StringRef kind) { return isA(decl.onWhere, kind); };
  if (!isA(decl.forWhat, onKind) || llvm::none_of(forKinds, standsFor))
    return false;
  shared.diags
      .report<diag::WrongKind>(range(decl.forWhat), text(decl.forWhat), withArticle(onKind),
                               withArticles(forKinds))
      .help(fmt::format("write `for {} on {}`", text(decl.onWhere), text(decl.forWhat)))
      .edit(range(decl.forWhat), text(decl.onWhere))
      .edit(range(decl.onWhere), text(decl.forWhat));
  return true;
}

bool Evaluator::addHeader(Object& o, const ast::BlockDecl& decl, SourceModule& module) {
  const auto forKinds = o.schema->forKinds();
  const llvm::StringRef onKind = o.schema->onKind();
  if (decl.search && !o.schema->isA("layout")) {
    shared.diags.report<diag::SearchKind>(decl.blockKind.range, decl.blockKind.text);
    return false;
  }
  if (decl.forWhat.empty() && decl.onWhere.empty())
    return true;
  Object::Header& header = *new (headers.Allocate()) Object::Header;
  if (o.header)
    header = *o.header;
  o.header = &header;
  auto one = [&](ast::QualifiedName name, llvm::ArrayRef<llvm::StringRef> kinds,
                 llvm::StringRef word, bool isFor, Object*& to) {
    if (name.empty())
      return true;
    if (kinds.empty()) {
      shared.diags.report<diag::HeaderKindNotAllowed>(range(name), withArticle(decl.blockKind.text),
                                                      word);
      return false;
    }
    to = headerObject(name, kinds, module);
    header.names.emplace_back(name.back().text, isFor);
    return to != nullptr;
  };
  if (swapped(decl, forKinds, onKind, module))
    return false;
  const bool first = one(decl.forWhat, forKinds, "for", true, header.forObject);
  const auto onKinds = onKind.empty() ? llvm::ArrayRef<llvm::StringRef>() : onKind;
  return one(decl.onWhere, onKinds, "on", false, header.onObject) && first;
}

Object& Evaluator::onCluster(const Object& layout, Object& cluster, const Object& by) {
  (void)shared.budget.spend(stepsOfAnObject + layout.levels.size(), by.range);
  Object& o = *new (objects.Allocate()) Object;
  o.schema = layout.schema;
  o.decl = by.decl, o.range = by.range;
  o.levels = layout.levels;
  Object::Header& header = *new (headers.Allocate()) Object::Header;
  if (layout.header)
    header = *layout.header;
  header.onObject = &cluster;
  o.header = &header;
  return o;
}

/// Adds the settings of each fragment as one level. Defaults of its schema are left out.
bool Evaluator::addFragments(Object& o, const ast::BlockDecl& decl, SourceModule& module) {
  const unsigned generation = o.nextGeneration();
  unsigned number = 0;
  llvm::SmallPtrSet<const Object*, 4> seen;
  for (ast::QualifiedName name : decl.fragments) {
    Object* fragment = headerObject(name, {}, module);
    if (!fragment)
      return false;
    if (!seen.insert(fragment).second) {
      shared.diags.report<diag::ListedTwice>(range(name), "with", text(name));
      return false;
    }
    if (!o.schema->isA(*fragment->schema)) {
      shared.diags
          .report<diag::WrongKind>(range(name), text(name), withArticle(fragment->schema->name),
                                   withArticle(o.schema->name))
          .note<diag::DeclaredHere>(fragment->range, fragment->name());
      return false;
    }
    ++number;
    const llvm::StringRef label = shared.keep(text(name));
    if (!shared.budget.spend(fragment->levels.size(), range(name)))
      return false;
    llvm::DenseMap<std::pair<const SettingLevel*, unsigned>, const SettingLevel*> renamed;
    for (Setting s : fragment->levels) {
      if (s.level->kind == SettingLevel::SettingLevelKind::Schema ||
          s.level->kind == SettingLevel::SettingLevelKind::Framework)
        continue;
      const SettingLevel*& l = renamed[{s.level, s.generation}];
      if (!l)
        l = &level(SettingLevel::SettingLevelKind::Fragment, label, s.level->decl, number);
      s.level = l;
      s.generation = generation;
      o.levels.push_back(s);
    }
  }
  return true;
}

void Evaluator::reportMissing(Object& block, const std::string& path, SourceRange at,
                              llvm::StringRef neededBy) {
  if (!reported.insert(&block).second)
    return;
  std::string others;
  for (const FieldDecl& f : block.schema->fields)
    if (const Value v = field(block, f, {});
        v.is(Value::ValueKind::Missing) && v.object == &block && f.name() != path)
      others += fmt::format("{}`{}`", others.empty() ? "" : ", ", f.name());
  shared.diags.report<diag::NotYetGiven>(at, path, describe(block), neededBy)
      .help(fmt::format("write `{} = …` in its block{}", path,
                        others.empty() ? "" : fmt::format(", and also set {}", others)));
}

void Evaluator::reportNoFamily(const ast::FieldStmt& stmt, std::size_t index, const Type& type) {
  const ast::PathStep& step = stmt.path[index];
  if (!reported.insert(&step).second)
    return;
  // The place is that of the path before the bracket.
  SourceRange base = stmt.pathRange;
  base.end = step.index->range.begin;
  const llvm::StringRef before = shared.sources.text(base);
  const llvm::StringRef written = before.take_front(before.rfind('[')).rtrim();
  base.end = base.begin + static_cast<std::uint32_t>(written.size());
  shared.diags.report<diag::NotAFamily>(base, written, sema::describe(type));
}
