//===- SemanticTokens.cpp - The kind of each word of a file -----------------------------------===//
#include "frontend/parse/Tokens.h"
#include "tools/dplc/lsp/Features.h"
using namespace dpl;
using namespace dpl::tool;

namespace {
/// Indexes into the list of `semanticLegend`.
enum TokenType : unsigned {
  Keyword,
  Comment,
  String,
  Number,
  Class,
  Property,
  EnumMember,
  Variable,
  Parameter,
  Namespace,
  Struct,
  Type,
  Function,
  None
};
constexpr const char* typeNames[] = {"keyword",  "comment",    "string",   "number",    "class",
                                     "property", "enumMember", "variable", "parameter", "namespace",
                                     "struct",   "type",       "function"};
constexpr unsigned declarationModifier = 1; ///< bit 0 of the modifiers

TokenType typeOf(NamedThing thing) {
  switch (thing) {
  case NamedThing::Block:
    return Class;
  case NamedThing::Field:
  case NamedThing::Figure:
  case NamedThing::Key:
    return Property;
  case NamedThing::Choice:
    return EnumMember;
  case NamedThing::Let:
  case NamedThing::Variable:
    return Variable;
  case NamedThing::Param:
    return Parameter;
  case NamedThing::Import:
  case NamedThing::Module:
    return Namespace;
  case NamedThing::Schema:
    return Struct;
  case NamedThing::Type:
  case NamedThing::Unit:
  case NamedThing::Scope:
    return Type;
  case NamedThing::Statistic:
  case NamedThing::Function:
    return Function;
  case NamedThing::Word:
    return Keyword;
  }
  return None;
}

TokenType typeOf(const Token& token) {
  if (token.isOneOf(TokenKind::Doc, TokenKind::Comment))
    return Comment;
  if (token.isOneOf(TokenKind::String, TokenKind::Unterminated))
    return String;
  if (token.isOneOf(TokenKind::Number, TokenKind::Quantity))
    return Number;
  return token.isKeyword() ? Keyword : None;
}
} // namespace

Json tool::semanticLegend() {
  Json types = Json::array();
  for (const char* name : typeNames)
    types.push_back(name);
  return {{"tokenTypes", std::move(types)}, {"tokenModifiers", Json::array({"declaration"})}};
}

Json tool::semanticTokens(const DocumentRequest& request) {
  const OpenDocument& document = request.document;
  const std::optional<std::uint32_t> file = document.check.source();
  Json data = Json::array();
  if (!file)
    return {{"data", std::move(data)}};
  const llvm::StringRef text = request.sources().text(*file);
  const LineIndex lines(text, request.documents.encoding);
  const std::size_t mark = request.sources().skipped(*file) > 0
                               ? unitsOf("\xEF\xBB\xBF", request.documents.encoding)
                               : 0;
  const llvm::ArrayRef<NameUse> uses = request.names().uses(*file);
  const NameUse* use = uses.begin();
  std::size_t lastLine = 0, lastCharacter = 0;
  // A line may be as long as a file: each token counts the characters after the one before it.
  std::size_t counted = 0, character = mark;
  for (const Token& token : tokenize(text)) {
    while (use != uses.end() && use->use.end <= token.begin)
      ++use;
    const bool named = use != uses.end() && use->use.begin <= token.begin &&
                       token.end <= use->use.end && token.is(TokenKind::Identifier);
    const TokenType type = named ? typeOf(use->thing) : typeOf(token);
    const llvm::StringRef word = text.slice(token.begin, token.end).rtrim("\r\n");
    if (type == None || word.empty() || word.contains('\n'))
      continue;
    const std::size_t line = lines.lineOf(token.begin);
    if (counted < lines.startOf(line))
      counted = lines.startOf(line), character = 0;
    character += unitsOf(text.slice(counted, token.begin), request.documents.encoding);
    counted = token.begin;
    data.push_back(line - lastLine);
    data.push_back(line == lastLine ? character - lastCharacter : character);
    data.push_back(unitsOf(word, request.documents.encoding));
    data.push_back(static_cast<unsigned>(type));
    data.push_back(named && use->isDeclaration ? declarationModifier : 0U);
    lastLine = line, lastCharacter = character;
  }
  return {{"data", std::move(data)}};
}
