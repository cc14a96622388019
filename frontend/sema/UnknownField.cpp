//===- UnknownField.cpp - Reports a field that a schema does not have -------------------------===//
#include "frontend/sema/Checker.h"
#include "frontend/sema/FirstWords.h"
#include "support/Near.h"
#include "support/diagnostics/Schema.h"
#include "support/diagnostics/Sema.h"
#include <algorithm>
#include <fmt/format.h>
using namespace dpl;
using namespace dpl::sema;

namespace {
/// The value if it is a whole number without a unit, "8" of `tp = 8`, which an advice may repeat.
llvm::StringRef plainNumber(const ast::FieldStmt& stmt, const SourceManager& sources) {
  const auto* number = llvm::dyn_cast_or_null<ast::NumberExpr>(stmt.value);
  const bool plain = number && !number->number.unit && number->number.value.isInteger();
  return plain ? sources.text(stmt.value->range) : "";
}

} // namespace

/// The kinds of blocks that have the field, in words: "a `decoder` has it".
std::string Checker::kindsWith(const Schema& schema, llvm::StringRef field) {
  std::vector<std::string> having;
  for (const llvm::StringRef kind : evaluator.schemas.kinds(*schema.module)) {
    const Schema* other = evaluator.schemas.find(*schema.module, kind);
    if (other && other->isA(schema) && other->field(field, nullptr))
      having.push_back(kind.str());
  }
  if (having.empty())
    return "it has no fields";
  return fmt::format("{} {} it: `{} NAME {{ … }}`", alternatives(having),
                     having.size() == 1 ? "has" : "have", having.front());
}

/// The kind of block that has the field; empty if none has it.
std::string Checker::blockWith(const Schema& schema, llvm::StringRef field) {
  for (const llvm::StringRef kind : {"layout", "model", "cluster", "run"})
    if (const Schema* other = evaluator.schemas.find(*schema.module, kind);
        other && !schema.isA(*other) && other->field(field, nullptr))
      return kind.str();
  return "";
}

void Checker::unknownField(const ast::Name& name, const ast::FieldStmt& stmt, SchemaPlace place,
                           Object& object) {
  const Schema& schema = *place.schema;
  for (const SchemaLet& let : schema.lets)
    if (let.let->name.text == name.text) {
      auto d = shared.diags.report<diag::FieldNotSettable>(name.range, name.text)
                   .note<diag::DeclaredHere>(let.let->name.range, name.text);
      if (const std::string words = firstWord(schema, name.text, plainNumber(stmt, shared.sources));
          !words.empty())
        std::move(d).help(words);
      return;
    }
  llvm::SmallVector<llvm::StringRef> known;
  for (const FieldDecl& f : schema.fields)
    known.push_back(f.name());
  for (const ChoiceSchema* m : schema.members)
    if (!place.member || place.member == m)
      for (const FieldDecl& f : m->fields)
        known.push_back(f.name());
  if (place.member) {
    std::vector<std::string> having;
    for (const ChoiceSchema* m : schema.members)
      if (schema.field(name.text, m))
        having.push_back(m->name.str());
    if (!having.empty()) {
      // The doc comment of the choice says what the choice has instead: "Two chunks per rank, …".
      std::string doc = place.member->ast->doc.str();
      std::replace(doc.begin(), doc.end(), '\n', ' ');
      const llvm::StringRef is = llvm::StringRef(doc).split(". ").first.rtrim('.');
      shared.diags
          .report<diag::FieldOfOtherChoice>(name.range,
                                            object.field.empty() ? schema.name : object.field,
                                            place.member->name, name.text)
          .help(fmt::format("`{}` is a field of {}{}", name.text, alternatives(having),
                            is.empty() ? std::string()
                                       : fmt::format("; `{}`: {}", place.member->name, is)));
      return;
    }
  }
  if (known.empty() && !reported.insert(&object).second)
    return; // another error is about the kind of the declaration
  const Suggestion near = shared.nearest(name.text, known, name.range);
  const std::string what = place.member ? fmt::format("`{}`", place.member->name)
                           : object.schema == &schema && !object.name().empty()
                               ? evaluator.describe(object)
                               : fmt::format("`{}`", schema.name);
  const llvm::StringRef number = plainNumber(stmt, shared.sources);
  auto d = shared.diags.report<diag::UnknownField>(name.range, what, name.text).help(near.help);
  if (const std::string words = firstWord(schema, name.text, number); !words.empty())
    std::move(d).help(words);
  else if (!near.edit.empty())
    std::move(d).edit(name.range, near.edit);
  else if (known.empty())
    std::move(d).help(kindsWith(schema, name.text));
  else if (const std::string kind = blockWith(schema, name.text); !kind.empty())
    std::move(d).help(fmt::format("a `{}` has `{}`", kind, name.text));
  else if (const std::string other = wordElsewhere(name.text, number); !other.empty())
    std::move(d).help(other);
}
