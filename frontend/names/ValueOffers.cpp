//===- ValueOffers.cpp - Values that files often give to a field ------------------------------===//
#include "frontend/names/CommonValues.h"
#include "frontend/names/NameDetails.h"
#include "frontend/names/Offers.h"
#include "frontend/sema/ResultNames.h"
using namespace dpl;
using namespace dpl::names;
using namespace dpl::sema;

bool Offers::isKnownHere(llvm::StringRef written, const NameScope& scope, const Type* expected) {
  while (expected && expected->kind == Type::TypeKind::List)
    expected = expected->element;
  unsigned braces = 0;
  Token before;
  for (const Token& token : tokenize(written)) {
    if (token.isHidden())
      continue;
    braces += token.is(TokenKind::LeftBrace);
    braces -= token.is(TokenKind::RightBrace) && braces > 0;
    const bool root = token.is(TokenKind::Identifier) && braces == 0 &&
                      !before.isOneOf(TokenKind::Dot, TokenKind::Per);
    before = token;
    if (!root)
      continue;
    const llvm::StringRef name = written.slice(token.begin, token.end);
    const bool choice = expected && expected->schema && expected->schema->member(name);
    if (!choice && !isResultRoot(name) && wordSentence(name).empty() && !lookup.find(name, scope))
      return false;
  }
  return true;
}

/// Values that follow from values beside the field: a batch of one sample per node, a backward pass
/// of 1.5, 2 or 1 times the forward pass.
void Offers::relatedValues(const std::vector<Setting>& set) {
  struct Relation {
    llvm::StringLiteral field, other;
    std::int64_t over, under;
  };
  constexpr Relation relations[] = {{"layout.batch", "cluster.nodes", 1, 1},
                                    {"cluster.nodes", "layout.batch", 1, 1},
                                    {"layer_time.backward", "layer_time.forward", 3, 2},
                                    {"layer_time.backward", "layer_time.forward", 2, 1},
                                    {"layer_time.forward", "layer_time.backward", 1, 2},
                                    {"layer_time.forward", "layer_time.backward", 2, 3}};
  constexpr unsigned most = 2; // further values would displace common ones
  for (const Relation& relation : relations) {
    const bool nodes = relation.other == "cluster.nodes" || relation.field == "cluster.nodes";
    if (tableName(*field) != relation.field || (nodes && !isListed(text)))
      continue;
    unsigned found = 0;
    for (const Setting& one : set) {
      const auto* number = llvm::dyn_cast<ast::NumberExpr>(one.value);
      if (!number || tableName(*one.field) != relation.other || found == most)
        continue;
      Number scaled = number->number;
      const auto factor = Rational::divide(relation.over, relation.under);
      const auto value = factor ? Rational::multiply(scaled.value, *factor) : std::nullopt;
      if (!value)
        continue;
      ++found;
      scaled.value = *value;
      if (relation.field == "layout.batch")
        scaled.unit = findUnit(isListed(text) ? "sample" : "seq");
      else if (relation.field == "cluster.nodes")
        scaled.unit = nullptr;
      if (scaled.unit)
        scaled.dimension = scaled.unit->dimension;
      else
        scaled.dimension = {};
      offer(scaled.str(), NamedThing::Word, "as " + one.field->name().str());
    }
  }
}

/// Lists of the figures that the statements of the block read, for the outputs of a study.
void Offers::figuresRead(const NameScope& scope) {
  const NameScope* root = &scope;
  while (root && !(root->kind == NameScope::ScopeKind::Object && root->block))
    root = root->outer;
  const auto* decl = root ? llvm::dyn_cast_or_null<ast::BlockDecl>(root->shape.root.decl) : nullptr;
  if (!decl)
    return;
  std::vector<std::string> read;
  std::uint32_t after = 0; // end of the last path, whose parts are told one by one
  NameWalk walk(lookup, [&](SourceRange use, const Meaning& meaning, bool isDeclaration) {
    const bool figure =
        meaning.thing == NamedThing::Statistic ||
        (meaning.thing == NamedThing::Figure && resultNamed(meaning.figure) && use.begin >= after);
    const bool let = meaning.thing == NamedThing::Let && isDeclaration;
    const std::string path = figure ? meaning.figure
                             : let  ? meaning.let->name.text.str()
                                    : std::string();
    if (path.empty())
      return;
    after = use.begin + static_cast<std::uint32_t>(path.size());
    if (meaning.thing == NamedThing::Statistic && !read.empty() &&
        llvm::StringRef(path).startswith(read.back() + "."))
      read.pop_back(); // it is the figure of the statistic
    if (!llvm::is_contained(read, path))
      read.push_back(path);
  });
  walk.block({module, decl});
  std::string all;
  for (const std::string& path : read)
    all += (all.empty() ? "" : ", ") + path;
  if (read.size() > 1)
    offer("[" + all + "]", NamedThing::Word, "what the statements read");
  for (std::size_t i = 0; i < read.size() && i < 2; ++i)
    offer("[" + read[i] + "]", NamedThing::Word, "what the statements read");
}

/// Values that files often give to the field: a value of this file first, then those of the library
/// and of common plans, then others of this file and the default.
void Offers::commonValues(const NameScope& scope, const Type* expected) {
  if (!field)
    return;
  std::vector<std::pair<llvm::StringRef, unsigned>> own;
  std::vector<Setting> set;
  NameWalk walk(lookup, nullptr);
  walk.onSetting = [&](const ast::FieldStmt& stmt, const FieldDecl& of) {
    if (stmt.form != ast::FieldStmt::FieldForm::Assign || !stmt.value ||
        llvm::isa<ast::ErrorExpr>(stmt.value))
      return;
    const llvm::StringRef written = lookup.evaluator.shared.sources.text(stmt.value->range);
    set.push_back({&of, stmt.value});
    if (of.ast != field->ast || written.size() > 80 || written.contains('\n'))
      return;
    const auto known = llvm::find_if(own, [&](const auto& one) { return one.first == written; });
    if (known != own.end())
      ++known->second;
    else
      own.emplace_back(written, 1);
  };
  walk.module(*module);
  llvm::stable_sort(own, [](const auto& a, const auto& b) { return a.second > b.second; });
  constexpr std::size_t first = 1; // more of them would displace common values
  for (std::size_t i = 0; i < own.size() && i < first; ++i)
    offer(own[i].first.str(), NamedThing::Word, "in this file");
  relatedValues(set);
  if (expected && expected->kind == Type::TypeKind::List &&
      (expected->element->kind == Type::TypeKind::Name ||
       expected->element->kind == Type::TypeKind::Column))
    figuresRead(scope);
  for (llvm::StringRef written : commonValuesOf(*field, isListed(text)))
    if (isKnownHere(written, scope, expected))
      offer(written.str(), NamedThing::Word, "common value");
  for (const auto& [written, times] : own)
    offer(written.str(), NamedThing::Word, "in this file");
  if (field->ast->value)
    offer(lookup.evaluator.shared.sources.text(field->ast->value->range).str(), NamedThing::Word,
          "default");
}
