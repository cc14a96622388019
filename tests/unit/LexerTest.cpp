//===- LexerTest.cpp - The words of a text are those of grammar/DplLexer.g4 -------------------===//
#include "DplLexer.h"
#include "ParseTesting.h"
#include "antlr4-runtime.h"
#include "frontend/parse/Tokens.h"
#include <gtest/gtest.h>
#include <random>
using namespace dpl;
using namespace dpl::test;

namespace {

#define TOKEN(KIND, ANTLR, TEXT)                                                                   \
  static_assert(static_cast<std::size_t>(TokenKind::KIND) == grammar::DplLexer::ANTLR);
#include "frontend/parse/Tokens.def"

/// The bytes of a text as ANTLR's characters.
class Bytes final : public antlr4::CharStream {
public:
  explicit Bytes(llvm::StringRef text) : text(text) {}
  void consume() override { ++at; }
  std::size_t LA(ssize_t i) override {
    const std::size_t index = at + static_cast<std::size_t>(i) - 1;
    return index < text.size() ? static_cast<unsigned char>(text[index]) : EOF;
  }
  ssize_t mark() override { return -1; }
  void release(ssize_t) override {}
  std::size_t index() override { return at; }
  void seek(std::size_t index) override { at = index; }
  std::size_t size() override { return text.size(); }
  std::string getSourceName() const override { return ""; }
  std::string getText(const antlr4::misc::Interval&) override { return ""; }
  std::string toString() const override { return ""; }

private:
  llvm::StringRef text;
  std::size_t at = 0;
};

using Word = std::tuple<unsigned, std::size_t>; // kind and end

class LexerAgreement : public testing::Test {
protected:
  std::vector<Word> byGrammar(llvm::StringRef text) {
    std::vector<Word> words;
    Bytes bytes(text);
    while (bytes.index() < text.size()) {
      const std::size_t kind = simulator.match(&bytes, antlr4::Lexer::DEFAULT_MODE);
      words.emplace_back(kind, bytes.index());
    }
    return words;
  }
  static std::vector<Word> byLexer(llvm::StringRef text) {
    std::vector<Word> words;
    for (const Token& token : tokenize(text))
      if (!token.is(TokenKind::End))
        words.emplace_back(static_cast<unsigned>(token.kind), token.end);
    return words;
  }

  Bytes none{""};
  grammar::DplLexer lexer{&none};
  antlr4::atn::LexerATNSimulator& simulator =
      *lexer.getInterpreter<antlr4::atn::LexerATNSimulator>();
};

TEST_F(LexerAgreement, OnEveryFileOfTheProject) {
  for (const char* folder : {"stdlib", "examples", "tests"})
    for (const std::filesystem::path& path : dplFiles(folder)) {
      const std::string text = slurp(path);
      if (!llvm::StringRef(text).startswith("\xEF\xBB\xBF")) {
        EXPECT_EQ(byLexer(text), byGrammar(text)) << path;
      }
    }
}

TEST_F(LexerAgreement, OnRandomText) {
  // Pieces that begin, end or nearly make a word.
  const std::vector<std::string> pieces = {
      "1",    "23", "_",  ".",  "..", "..<", "<",  "e",  "E",  "+",  "-",   "GiB", "/",
      "//",   "s",  "=",  "!",  ">",  "\"",  "\\", "\n", "\r", "\t", "  ",  "1f",  "1f1",
      "1f1b", "x",  "if", "in", "{",  "}",   "[",  "]",  "(",  ")",  ",",   ":",   "|",
      "*",    "%",  "?",  "&",  "#",  "é",   "1e", "3.", ".5", "0_", "let", "\0"};
  std::mt19937 random(7);
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (unsigned n = 1 + random() % 8; n > 0; --n)
      text += pieces[random() % pieces.size()];
    ASSERT_EQ(byLexer(text), byGrammar(text)) << text;
  }
}

TEST_F(LexerAgreement, OnEveryByteAndPairOfBytes) {
  for (unsigned first = 0; first < 256; ++first)
    for (unsigned second = 0; second < 256; ++second) {
      const std::string text = {static_cast<char>(first), static_cast<char>(second)};
      ASSERT_EQ(byLexer(text), byGrammar(text)) << first << " " << second;
    }
}

TEST(Lexer, LeavesAByteOrderMarkOut) {
  const std::vector<Token> tokens = tokenize("\xEF\xBB\xBFlet");
  ASSERT_EQ(tokens.size(), 2u);
  EXPECT_EQ(tokens[0].begin, 3u);
  EXPECT_EQ(tokens[0].kind, TokenKind::Let);
}

} // namespace
