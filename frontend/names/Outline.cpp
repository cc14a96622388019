//===- Outline.cpp - The outline of a file ----------------------------------------------------===//
#include "frontend/names/Outline.h"
#include "frontend/names/Shape.h"
using namespace dpl;
using namespace dpl::names;
using namespace dpl::sema;

namespace {
class OutlineWriter {
public:
  explicit OutlineWriter(const SourceManager& sources) : sources(sources) {}

  std::optional<Symbol> symbol(const ast::Decl& decl) const {
    Symbol out;
    out.range = decl.range;
    out.name = declaredName(decl).str();
    out.nameRange = sema::meaningOf(decl).declaration;
    if (const auto* import = llvm::dyn_cast<ast::ImportDecl>(&decl)) {
      out.thing = NamedThing::Import;
      out.nameRange = aliasRange(*import);
      out.name = sources.text(out.nameRange).str();
      out.detail = "import " + sources.text(import->target).str();
    } else if (const auto* param = llvm::dyn_cast<ast::ParamDecl>(&decl)) {
      out.thing = NamedThing::Param;
      out.detail = "param: " + sources.text(param->type.range).str();
    } else if (llvm::isa<ast::LetDecl>(decl)) {
      out.thing = NamedThing::Let;
      out.detail = "let";
    } else if (const auto* schema = llvm::dyn_cast<ast::SchemaDecl>(&decl)) {
      fill(*schema, out);
    } else if (const auto* block = llvm::dyn_cast<ast::BlockDecl>(&decl)) {
      out.detail = header(*block);
      if (block->block)
        statements(*block->block, out);
    } else {
      return std::nullopt; // an assertion has no name
    }
    return out;
  }

private:
  static std::string header(const ast::BlockDecl& block) {
    std::string out = (block.search ? "search " : "") + block.blockKind.text.str();
    const auto add = [&](const char* word, ast::QualifiedName name) {
      if (!name.empty())
        out += fmt::format(" {} {}", word, text(name));
    };
    add("from", block.base);
    for (ast::QualifiedName fragment : block.fragments)
      add("with", fragment);
    add("for", block.forWhat);
    add("on", block.onWhere);
    return out;
  }

  void fill(const ast::SchemaDecl& schema, Symbol& out) const {
    out.thing = NamedThing::Schema;
    out.detail = schema.base.empty() ? "schema" : "schema from " + text(schema.base);
    const auto fields = [&](llvm::ArrayRef<ast::SchemaField> all, Symbol& into) {
      for (const ast::SchemaField& field : all)
        into.children.push_back({field.name.text.str(),
                                 sources.text(field.type.range).str(),
                                 NamedThing::Field,
                                 field.range,
                                 field.name.range,
                                 {}});
    };
    fields(schema.fields, out);
    for (const ast::ChoiceMember& choice : schema.choices) {
      Symbol member{choice.name.text.str(), "choice",          NamedThing::Choice,
                    choice.name.range,      choice.name.range, {}};
      fields(choice.fields, member);
      if (!choice.fields.empty())
        member.range.end = std::max(member.range.end, choice.fields.back().range.end);
      out.children.push_back(std::move(member));
    }
    for (const ast::Stmt* stmt : schema.statements)
      statement(*stmt, out);
  }

  void statements(const ast::Block& block, Symbol& into) const {
    for (const ast::Stmt* stmt : block.statements)
      statement(*stmt, into);
  }

  /// Adds a statement that is a block of fields, or a `let`. Single fields would make the outline
  /// as long as the file.
  void statement(const ast::Stmt& stmt, Symbol& into) const {
    if (const auto* let = llvm::dyn_cast<ast::LetStmt>(&stmt)) {
      into.children.push_back(
          {let->name.text.str(), "let", NamedThing::Let, let->range, let->name.range, {}});
      return;
    }
    const auto* field = llvm::dyn_cast<ast::FieldStmt>(&stmt);
    const auto* amended = field ? llvm::dyn_cast_or_null<ast::AmendExpr>(field->value) : nullptr;
    const ast::Block* block = !field ? nullptr : amended ? &amended->block : field->block;
    if (!block)
      return;
    Symbol out{sources.text(field->pathRange).str(),
               amended ? text(amended->base) : "",
               NamedThing::Field,
               field->range,
               field->pathRange,
               {}};
    statements(*block, out);
    into.children.push_back(std::move(out));
  }

  const SourceManager& sources;
};
} // namespace

std::vector<Symbol> names::outlineOf(const SourceModule& module, const SourceManager& sources) {
  std::vector<Symbol> out;
  if (module.ast)
    for (const ast::Decl* decl : module.ast->declarations)
      if (std::optional<Symbol> symbol = OutlineWriter(sources).symbol(*decl))
        out.push_back(std::move(*symbol));
  return out;
}
