#pragma once
//===- AntlrStreams.h - ANTLR's interfaces over our tokens, for ParseTree.cpp -----------------===//
#include "antlr4-runtime.h"
#include "frontend/parse/Tokens.h"
#include "llvm/ADT/ArrayRef.h"

namespace dpl {

struct AntlrToken final : antlr4::Token {
  AntlrToken(dpl::Token t, std::size_t index)
      : token(t), index(static_cast<std::uint32_t>(index)) {}
  std::string getText() const override { return ""; }
  std::size_t getType() const override {
    return token.is(TokenKind::End) ? EOF : static_cast<std::size_t>(token.kind);
  }
  std::size_t getLine() const override { return 0; }
  std::size_t getCharPositionInLine() const override { return 0; }
  std::size_t getChannel() const override { return DEFAULT_CHANNEL; }
  std::size_t getTokenIndex() const override { return index; }
  std::size_t getStartIndex() const override { return token.begin; }
  std::size_t getStopIndex() const override { return token.end; }
  antlr4::TokenSource* getTokenSource() const override { return nullptr; }
  antlr4::CharStream* getInputStream() const override { return nullptr; }
  std::string toString() const override { return ""; }
  dpl::Token token;
  std::uint32_t index;
};

class TokenCursor final : public antlr4::TokenStream {
public:
  explicit TokenCursor(llvm::ArrayRef<dpl::Token> from) {
    tokens.reserve(from.size());
    for (const dpl::Token& t : from)
      tokens.emplace_back(t, tokens.size());
  }
  antlr4::Token* LT(ssize_t k) override {
    if (k < 0)
      return at >= static_cast<std::size_t>(-k) ? &tokens[at - static_cast<std::size_t>(-k)]
                                                : nullptr;
    return &tokens[std::min(at + static_cast<std::size_t>(k) - 1, tokens.size() - 1)];
  }
  antlr4::Token* get(std::size_t index) const override {
    return const_cast<AntlrToken*>(&tokens[index]); // the interface returns non-const
  }
  void consume() override { at = std::min(at + 1, tokens.size() - 1); }
  std::size_t LA(ssize_t k) override { return LT(k) ? LT(k)->getType() : 0; }
  ssize_t mark() override { return -1; }
  void release(ssize_t) override {}
  std::size_t index() override { return at; }
  void seek(std::size_t index) override { at = index; }
  std::size_t size() override { return tokens.size(); }
  std::string getSourceName() const override { return ""; }
  antlr4::TokenSource* getTokenSource() const override { return nullptr; }
  std::string getText(const antlr4::misc::Interval&) override { return ""; }
  std::string getText() override { return ""; }
  std::string getText(antlr4::RuleContext*) override { return ""; }
  std::string getText(antlr4::Token*, antlr4::Token*) override { return ""; }

private:
  std::vector<AntlrToken> tokens;
  std::size_t at = 0;
};

inline const AntlrToken& own(const antlr4::Token& t) { return static_cast<const AntlrToken&>(t); }

} // namespace dpl
