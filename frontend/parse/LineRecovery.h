#pragma once
//===- LineRecovery.h - Reports one message per syntax error, for ParseTree.cpp ---------------===//
#include "DplParser.h"
#include "frontend/parse/AntlrStreams.h"
#include "frontend/parse/LineJoiner.h"
#include "frontend/parse/ParseTree.h"
#include "frontend/parse/SyntaxErrors.h"
#include "support/diagnostics/Parse.h"
#include <algorithm>

namespace dpl {

/// Recovers from syntax errors without deleting or inserting tokens. The statement with the error
/// is skipped, and parsing continues after it. This works because brackets are balanced.
class LineRecovery final : public antlr4::DefaultErrorStrategy {
public:
  LineRecovery(JoinedTokens& joined, llvm::StringRef text, std::uint32_t file,
               DiagnosticEngine& diags, Damaged damaged = Damaged::LeaveOut)
      : joined(joined), text(text), file(file), diags(diags), damaged(damaged) {}

  antlr4::Token* recoverInline(antlr4::Parser* p) override {
    throw antlr4::InputMismatchException(p);
  }

  /// ANTLR calls this before each iteration of a loop. It skips a token that cannot begin a
  /// statement, because otherwise the parser would leave the rule of the block.
  void sync(antlr4::Parser* p) override {
    const antlr4::ParserRuleContext& context = *p->getContext();
    const std::size_t at = p->getCurrentToken()->getTokenIndex();
    const bool inside = at > context.start->getTokenIndex();
    Wanted wanted;
    switch (context.getRuleIndex()) {
    case grammar::DplParser::RuleFile:
      wanted = Wanted::Declaration;
      break;
    case grammar::DplParser::RuleBlock:
      wanted = Wanted::Statement;
      break;
    case grammar::DplParser::RuleSchemaBlock:
    case grammar::DplParser::RuleChoiceBlock:
      wanted = Wanted::SchemaStatement;
      break;
    default:
      return;
    }
    if ((!inside && wanted != Wanted::Declaration) ||
        begins(wanted, context.getRuleIndex(), joined.tokens[at].kind))
      return;
    if (!inErrorRecoveryMode(p)) {
      beginErrorCondition(p);
      report({wanted, TokenKind::None, joined.tokens, at, at});
    }
    skip(p, joined.tokens[at].depth);
  }

  void reportError(antlr4::Parser* p, const antlr4::RecognitionException& e) override {
    if (inErrorRecoveryMode(p))
      return;
    beginErrorCondition(p);
    const std::size_t at = e.getOffendingToken()->getTokenIndex();
    SyntaxError error{wantedBy(p->getContext()->getRuleIndex()), TokenKind::None, joined.tokens, at,
                      statement(p).getTokenIndex()};
    const antlr4::misc::IntervalSet expected = e.getExpectedTokens();
    if (error.wanted == Wanted::Other && expected.size() == 1) {
      error.token = static_cast<TokenKind>(expected.getSingleElement());
      error.wanted = error.token == TokenKind::Identifier ? Wanted::Name : Wanted::Token;
    } else if (error.wanted == Wanted::Other &&
               expected.contains(ssize_t{grammar::DplParser::STRING}) &&
               expected.contains(ssize_t{grammar::DplParser::IDENT})) {
      error.wanted = Wanted::Module;
    } else if (error.wanted == Wanted::Other &&
               expected.contains(ssize_t{grammar::DplParser::NUMBER})) {
      error.wanted = Wanted::Value;
    }
    report(error);
  }

  void recover(antlr4::Parser* p, std::exception_ptr) override {
    const unsigned depth = own(statement(p)).token.depth;
    if (damaged == Damaged::Keep && isInHeader(p))
      skipInHeader(p, depth);
    else
      skip(p, depth);
  }

  /// Reports the unmatched closing brackets for which no error was reported, after the parser has
  /// finished.
  void reportUnmatched() {
    for (const UnmatchedBracket& u : joined.unmatched)
      if (!u.reported)
        diags.report<diag::UnmatchedClosing>(u.place, spelling(u.kind));
  }

private:
  static bool begins(Wanted what, std::size_t rule, TokenKind kind) {
    using Kind = TokenKind;
    switch (what) {
    case Wanted::Declaration:
      return kind == Kind::NewLine || kind == Kind::End || kind == Kind::Import ||
             kind == Kind::Param || kind == Kind::Let || kind == Kind::Schema ||
             kind == Kind::Search || kind == Kind::Identifier || kind == Kind::Assert;
    case Wanted::Statement:
      if (kind == Kind::For || kind == Kind::If || kind == Kind::Require ||
          kind == Kind::Minimize || kind == Kind::Maximize)
        return true;
      break;
    default:
      break;
    }
    return kind == Kind::NewLine || kind == Kind::Comma || kind == Kind::RightBrace ||
           kind == Kind::Identifier || kind == Kind::Assert ||
           (rule != grammar::DplParser::RuleChoiceBlock && kind == Kind::Let) ||
           (rule == grammar::DplParser::RuleSchemaBlock && kind == Kind::Choice);
  }

  static Wanted wantedBy(std::size_t rule) {
    switch (rule) {
    case grammar::DplParser::RuleTopLine:
    case grammar::DplParser::RuleLine:
    case grammar::DplParser::RuleSchemaLine:
    case grammar::DplParser::RuleChoiceLine:
      return Wanted::End;
    case grammar::DplParser::RuleField:
      return Wanted::FieldValue;
    case grammar::DplParser::RuleSchemaField:
      return Wanted::FieldType;
    case grammar::DplParser::RuleValue:
    case grammar::DplParser::RuleExpr:
    case grammar::DplParser::RuleOperand:
    case grammar::DplParser::RulePrimary:
    case grammar::DplParser::RuleArgument:
      return Wanted::Value;
    case grammar::DplParser::RuleType:
      return Wanted::Type;
    case grammar::DplParser::RuleName:
    case grammar::DplParser::RuleQname:
      return Wanted::Name;
    default:
      return Wanted::Other;
    }
  }

  /// The first token of the innermost statement at the parser's position.
  static const antlr4::Token& statement(antlr4::Parser* p) {
    const antlr4::ParserRuleContext* context = p->getContext();
    while (wantedBy(context->getRuleIndex()) != Wanted::End && context->parent)
      context = static_cast<const antlr4::ParserRuleContext*>(context->parent);
    return *context->start;
  }

  /// Whether the parser is in the header of a block: before its `{`.
  static bool isInHeader(antlr4::Parser* p) {
    const antlr4::ParserRuleContext* context = p->getContext();
    for (; context; context = static_cast<const antlr4::ParserRuleContext*>(context->parent)) {
      if (context->getRuleIndex() == grammar::DplParser::RuleBlock)
        return false;
      if (context->getRuleIndex() == grammar::DplParser::RuleBlockDecl)
        return true;
    }
    return false;
  }
  /// Skips to the next clause of a header, or to the block after it, so that the block is read.
  void skipInHeader(antlr4::Parser* p, unsigned depth) {
    for (;; p->consume()) {
      const dpl::Token& t = own(*p->getCurrentToken()).token;
      if (t.is(TokenKind::End) ||
          (t.depth == depth && t.isOneOf(TokenKind::NewLine, TokenKind::LeftBrace, TokenKind::With,
                                         TokenKind::For, TokenKind::On)))
        return;
    }
  }

  /// Skips to the end of a statement. `depth` is the number of brackets around its first token.
  void skip(antlr4::Parser* p, unsigned depth) {
    for (;; p->consume()) {
      const dpl::Token& t = own(*p->getCurrentToken()).token;
      const bool separator = t.is(TokenKind::NewLine) || (t.is(TokenKind::Comma) && depth > 0);
      if (t.is(TokenKind::End) || (separator && t.depth == depth) ||
          (t.isClosing() && t.depth < depth))
        return;
    }
  }

  /// Reports an error, unless the line joiner has reported one in the same statement, or the parser
  /// has reported one around the same unmatched closing bracket.
  void report(const SyntaxError& error) {
    const auto region =
        std::partition_point(joined.unmatched.begin(), joined.unmatched.end(),
                             [&](const UnmatchedBracket& u) { return u.last < error.at; });
    if (region != joined.unmatched.end() && region->first <= error.at) {
      if (!region->reported)
        reportSyntaxError(error, text, file, diags);
      region->reported = true;
      return;
    }
    const auto mistake =
        std::lower_bound(joined.mistakes.begin(), joined.mistakes.end(), error.statement);
    if (mistake == joined.mistakes.end() || *mistake > error.at)
      reportSyntaxError(error, text, file, diags);
  }

  JoinedTokens& joined;
  llvm::StringRef text;
  std::uint32_t file;
  DiagnosticEngine& diags;
  const Damaged damaged;
};

} // namespace dpl
