//===- SchemaUse.cpp - Which fields of the library's schemas a set of files sets --------------===//
#include "SchemaUse.h"
#include "frontend/Frontend.h"
#include "llvm/Support/Casting.h"

using namespace dpl;
using namespace dpl::test;
using llvm::dyn_cast;

SchemaUse::SchemaUse() {
  files = std::make_unique<ParsedFiles>(sources,
                                        [this](const std::string&) -> FileText { return current; });
  read("prelude.dpl", libraryText("prelude").str());
  for (const std::string& module : libraryModules())
    if (module != "prelude")
      read(module + ".dpl", libraryText(module).str());
}

bool SchemaUse::derives(const ast::SchemaDecl* schema, const ast::SchemaDecl* from) const {
  while (schema && schema != from)
    schema = schema->base.empty() ? nullptr : schemaNamed(schema->base.back().text);
  return schema;
}

/// The field of that name, which counts as used if `use` says so; null if there is none.
const ast::SchemaField* SchemaUse::field(const Place& place, llvm::StringRef name, bool use) {
  const auto among = [&](llvm::ArrayRef<ast::SchemaField> list,
                         const std::string& owner) -> const ast::SchemaField* {
    for (const ast::SchemaField& f : list)
      if (f.name.text == name) {
        if (use)
          seen.insert(owner + "." + name.str());
        return &f;
      }
    return nullptr;
  };
  for (const ast::SchemaDecl* schema = place.schema; schema;) {
    const std::string owner = schema->name.text.str();
    if (const ast::SchemaField* found = among(schema->fields, owner))
      return found;
    const ast::ChoiceMember* choice = place.choice;
    unsigned having = 0;
    for (const ast::ChoiceMember& member : schema->choices)
      if (!place.choice)
        for (const ast::SchemaField& f : member.fields)
          if (f.name.text == name)
            choice = &member, ++having;
    if (choice && (place.choice || having == 1))
      if (const ast::SchemaField* found =
              among(choice->fields, owner + "." + choice->name.text.str()))
        return found;
    schema = schema->base.empty() ? nullptr : schemaNamed(schema->base.back().text);
  }
  return nullptr;
}

/// The type of what the path names, or of its elements where the last step is an index.
const ast::TypeExpr* SchemaUse::path(Place place, llvm::ArrayRef<ast::PathStep> steps) {
  const ast::TypeExpr* type = nullptr;
  for (const ast::PathStep& step : steps) {
    if (step.index)
      continue; // the name of a map's type is that of its values
    const ast::SchemaField* found = field(place, step.name.text, true);
    if (!found)
      return nullptr;
    type = &found->type;
    place = {type->name.empty() ? nullptr : schemaNamed(type->name.back().text), nullptr};
  }
  return type;
}

void SchemaUse::value(const ast::Expr& expr, const ast::TypeExpr& type) {
  if (const auto* group = dyn_cast<ast::GroupExpr>(&expr))
    return value(group->inner, type);
  if (const auto* list = dyn_cast<ast::ListExpr>(&expr)) {
    if (!type.name.empty() && type.name.back().text == "split") // `split = [25, 7]`
      seen.insert("split.stages.layers");
    for (const ast::Expr* element : list->values)
      value(*element, type.element ? *type.element : type);
    return;
  }
  if (const auto* each = dyn_cast<ast::ComprehensionExpr>(&expr))
    return value(each->value, type.element ? *type.element : type);
  if (const auto* either = dyn_cast<ast::IfExpr>(&expr)) {
    value(either->then, type);
    return value(either->otherwise, type);
  }
  const auto* amend = dyn_cast<ast::AmendExpr>(&expr);
  if (!amend || type.name.empty())
    return;
  Place place{schemaNamed(type.name.back().text), nullptr};
  if (place.schema && amend->base.size() == 1)
    for (const ast::ChoiceMember& member : place.schema->choices)
      if (member.name.text == amend->base.back().text)
        place.choice = &member;
  block(amend->block, place);
}

/// `vary { pod.nic.latency in [1us, 2us] }`: a path begins with a block, of any file.
void SchemaUse::varied(const ast::Block& block) {
  for (const ast::Stmt* stmt : block.statements) {
    const auto* set = dyn_cast<ast::FieldStmt>(stmt);
    if (!set)
      continue;
    for (std::size_t at = 0; at + 1 < set->path.size() && at < 2; ++at)
      if (const ast::SchemaDecl* schema = blocks.lookup(set->path[at].name.text)) {
        const ast::TypeExpr* type = path({schema, nullptr}, set->path.drop_front(at + 1));
        if (type && set->value)
          value(*set->value, *type);
        break;
      }
  }
}

void SchemaUse::statement(const ast::Stmt& stmt, const Place& place) {
  if (const auto* loop = dyn_cast<ast::ForStmt>(&stmt))
    return block(loop->body, place);
  if (const auto* either = dyn_cast<ast::IfStmt>(&stmt)) {
    block(either->then, place);
    if (either->otherwise)
      block(*either->otherwise, place);
    return;
  }
  const auto* set = dyn_cast<ast::FieldStmt>(&stmt);
  if (!set)
    return;
  const ast::TypeExpr* type = path(place, set->path);
  if (!type)
    return;
  if (set->value)
    value(*set->value, *type);
  if (!set->block)
    return;
  if (type->name.back().text == "vary")
    return varied(*set->block);
  block(*set->block, {schemaNamed(type->name.back().text), nullptr});
}

void SchemaUse::block(const ast::Block& block, const Place& place) {
  for (const ast::Stmt* stmt : block.statements)
    statement(*stmt, place);
}

void SchemaUse::declaration(const ast::Decl& decl) {
  if (const auto* schema = dyn_cast<ast::SchemaDecl>(&decl))
    for (const ast::Stmt* stmt : schema->statements)
      statement(*stmt, {schema, nullptr});
  const auto* made = dyn_cast<ast::BlockDecl>(&decl);
  if (!made || !made->block)
    return;
  const ast::SchemaDecl* schema = blocks.lookup(made->name.text);
  if (made->search && made->blockKind.text == "layout")
    schema = schemaNamed("layout_search");
  if (schema)
    block(*made->block, {schema, nullptr});
}

void SchemaUse::read(const std::string& name, std::string text) {
  current = std::move(text);
  DiagnosticEngine unheard;
  files->forget(name);
  const ParsedFile* file = files->open(name, {}, unheard);
  if (!file)
    return;
  const bool prelude = fields.empty();
  // `model llm from models.llama3_8b` is a decoder, as its base is.
  for (const ast::Decl* decl : file->ast->declarations) {
    if (const auto* schema = dyn_cast<ast::SchemaDecl>(decl)) {
      const std::string owner = schema->name.text.str();
      schemas[owner] = schema;
      if (!prelude)
        continue;
      for (const ast::SchemaField& f : schema->fields)
        fields.push_back(owner + "." + f.name.text.str());
      for (const ast::ChoiceMember& member : schema->choices)
        for (const ast::SchemaField& f : member.fields)
          fields.push_back(owner + "." + member.name.text.str() + "." + f.name.text.str());
    }
    if (const auto* made = dyn_cast<ast::BlockDecl>(decl)) {
      const ast::SchemaDecl* schema = schemaNamed(made->blockKind.text);
      if (!made->base.empty()) {
        const llvm::StringRef base = made->base.back().text;
        for (const ast::SchemaDecl* of : {schemaNamed(base), blocks.lookup(base)})
          if (of && derives(of, schema))
            schema = of;
      }
      blocks[made->name.text] = schema;
    }
  }
  for (const ast::Decl* decl : file->ast->declarations)
    declaration(*decl);
}
