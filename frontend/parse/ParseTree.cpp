//===- ParseTree.cpp - Text to AST, and the only source that knows ANTLR ----------------------===//
//
// ANTLR parses what the line joiner leaves. Its exceptions stay in here: they steer the recovery of
// LineRecovery, and no user's mistake is worded by ANTLR.
#include "frontend/parse/ParseTree.h"
#include "DplParser.h"
#include "frontend/parse/AntlrStreams.h"
#include "frontend/parse/AstBuilder.h"
#include "frontend/parse/LineJoiner.h"
#include "frontend/parse/LineRecovery.h"
#include "support/FileIo.h"
#include "support/diagnostics/Parse.h"
#include <tree/xpath/XPath.h>
#include <tree/xpath/XPathElement.h>
using namespace dpl;

// The runtime can look trees up by path, which nobody asks for; its own definitions would bring a
// second parser along, whose tables take 0.3 M instructions at every start.
namespace antlr4::tree::xpath {
XPath::XPath(Parser* of, const std::string& path) : _path(path), _parser(of) {}
std::vector<std::unique_ptr<XPathElement>> XPath::split(const std::string&) { return {}; }
std::vector<ParseTree*> XPath::evaluate(ParseTree*) { return {}; }
std::unique_ptr<XPathElement> XPath::getXPathElement(Token*, bool) { return {}; }
} // namespace antlr4::tree::xpath

namespace {

using grammar::DplParser;

#define TOKEN(KIND, ANTLR, TEXT)                                                                   \
  static_assert(static_cast<std::size_t>(TokenKind::KIND) == DplParser::ANTLR);
#include "frontend/parse/Tokens.def"

/// A parser over the tokens of one text, and what must live as long as it.
struct Parsing {
  Parsing(JoinedTokens& joined, llvm::StringRef text, std::uint32_t file, DiagnosticEngine& diags)
      : cursor(joined.tokens), parser(&cursor),
        recovery(std::make_shared<LineRecovery>(joined, text, file, diags)) {
    parser.removeErrorListeners();
    parser.setErrorHandler(recovery);
    // Enough because no text has a conflict; countGrammarConflicts and its tests say so.
    parser.getInterpreter<antlr4::atn::ParserATNSimulator>()->setPredictionMode(
        antlr4::atn::PredictionMode::SLL);
  }
  TokenCursor cursor;
  DplParser parser;
  std::shared_ptr<LineRecovery> recovery; // shared because ANTLR wants it so
};

/// The tree of a declaration takes some 400 bytes a word before it is built.
constexpr std::size_t mostWords = 1'000'000;

/// Whether a declaration has more words than that, which is reported.
bool tooLarge(const JoinedTokens& joined, std::uint32_t file, DiagnosticEngine& diags) {
  std::size_t words = 0, depth = 0;
  const Token* first = nullptr;
  for (const Token& token : joined.tokens) {
    if (token.isOpening())
      ++depth;
    else if (token.isClosing() && depth > 0)
      --depth;
    if (token.is(TokenKind::NewLine) && depth == 0) {
      words = 0;
      continue;
    }
    if (words++ == 0)
      first = &token;
    if (words > mostWords) {
      diags.report<diag::TooManyWords>({file, first->begin, first->end}, mostWords)
          .help("declare it in parts");
      return true;
    }
  }
  return false;
}

/// The tokens of a file, or nothing when it is no text or too deep, and reported.
std::optional<JoinedTokens> tokensOf(const SourceManager& sources, std::uint32_t file,
                                     DiagnosticEngine& diags) {
  if (checkText(sources, file, diags).failed())
    return std::nullopt;
  const llvm::StringRef text = sources.text(file);
  JoinedTokens joined = joinLines(tokenize(text), text, file, diags);
  if (!joined.usable || tooLarge(joined, file, diags))
    return std::nullopt;
  return joined;
}

class ConflictCounter final : public antlr4::ANTLRErrorListener {
public:
  void syntaxError(antlr4::Recognizer*, antlr4::Token*, std::size_t, std::size_t,
                   const std::string&, std::exception_ptr) override {}
  void reportAmbiguity(antlr4::Parser*, const antlr4::dfa::DFA&, std::size_t, std::size_t, bool,
                       const antlrcpp::BitSet&, antlr4::atn::ATNConfigSet*) override {
    ++conflicts;
  }
  void reportAttemptingFullContext(antlr4::Parser*, const antlr4::dfa::DFA&, std::size_t,
                                   std::size_t, const antlrcpp::BitSet&,
                                   antlr4::atn::ATNConfigSet*) override {
    ++conflicts;
  }
  void reportContextSensitivity(antlr4::Parser*, const antlr4::dfa::DFA&, std::size_t, std::size_t,
                                std::size_t, antlr4::atn::ATNConfigSet*) override {
    ++conflicts;
  }
  unsigned conflicts = 0;
};

} // namespace

ParseResult dpl::parse(const SourceManager& sources, std::uint32_t file, Arena& arena,
                       DiagnosticEngine& diags) {
  const unsigned before = diags.errors() + diags.heldBack();
  std::optional<JoinedTokens> joined = tokensOf(sources, file, diags);
  if (!joined)
    return {&arena.make<ast::File>(file, llvm::ArrayRef<const ast::Decl*>{}), true};
  const llvm::StringRef text = sources.text(file);
  Parsing parsing(*joined, text, file, diags);
  AstBuilder builder(*joined, text, file, arena, diags);
  // A declaration's tree takes some fifty bytes a byte of text: each is dropped when it is built.
  llvm::SmallVector<const ast::Decl*> declarations;
  parsing.parser.takeLine = [&](DplParser::TopLineContext& line) {
    if (const ast::Decl* decl = builder.build(line))
      declarations.push_back(decl);
  };
  parsing.parser.file();
  parsing.recovery->reportUnmatched();
  const ast::File& made = arena.make<ast::File>(file, arena.copy(llvm::makeArrayRef(declarations)));
  return {&made, diags.errors() + diags.heldBack() != before};
}

const ast::FieldStmt* dpl::parseSetting(const SourceManager& sources, std::uint32_t file,
                                        Arena& arena, DiagnosticEngine& diags) {
  std::optional<JoinedTokens> joined = tokensOf(sources, file, diags);
  if (!joined)
    return nullptr;
  const llvm::StringRef text = sources.text(file);
  Parsing parsing(*joined, text, file, diags);
  DplParser::SettingContext* tree = parsing.parser.setting();
  parsing.recovery->reportUnmatched();
  return AstBuilder(*joined, text, file, arena, diags).build(*tree);
}

unsigned dpl::countGrammarConflicts(const SourceManager& sources, std::uint32_t file) {
  DiagnosticEngine ignored;
  std::optional<JoinedTokens> joined = tokensOf(sources, file, ignored);
  if (!joined)
    return 0;
  Parsing parsing(*joined, sources.text(file), file, ignored);
  ConflictCounter counter;
  parsing.parser.addErrorListener(&counter);
  parsing.parser.getInterpreter<antlr4::atn::ParserATNSimulator>()->setPredictionMode(
      antlr4::atn::PredictionMode::LL_EXACT_AMBIG_DETECTION);
  parsing.parser.file();
  return counter.conflicts;
}
