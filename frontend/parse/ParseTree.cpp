//===- ParseTree.cpp - Parses text to an AST; the only file that uses ANTLR -------------------===//
//
// ANTLR parses the output of the line joiner. Its exceptions do not leave this file: LineRecovery
// handles them, and all messages are written here.
#include "frontend/parse/ParseTree.h"
#include "DplParser.h"
#include "frontend/parse/AntlrStreams.h"
#include "frontend/parse/AstBuilder.h"
#include "frontend/parse/BraceRepair.h"
#include "frontend/parse/LineJoiner.h"
#include "frontend/parse/LineRecovery.h"
#include "support/FileIo.h"
#include "support/diagnostics/Parse.h"
#include <tree/xpath/XPath.h>
#include <tree/xpath/XPathElement.h>
using namespace dpl;

// Replaces the class XPath of the ANTLR runtime, which is not used. The original contains a second
// parser, whose tables cost 0.3 M instructions at every start.
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

/// A parser for the tokens of one text, with the objects that it refers to.
struct Parsing {
  Parsing(JoinedTokens& joined, llvm::StringRef text, std::uint32_t file, DiagnosticEngine& diags,
          Damaged damaged = Damaged::LeaveOut)
      : cursor(joined.tokens), parser(&cursor),
        recovery(std::make_shared<LineRecovery>(joined, text, file, diags, damaged)) {
    parser.removeErrorListeners();
    parser.setErrorHandler(recovery);
    // SLL prediction is enough, because no text has a conflict; countGrammarConflicts and its tests
    // check this.
    parser.getInterpreter<antlr4::atn::ParserATNSimulator>()->setPredictionMode(
        antlr4::atn::PredictionMode::SLL);
  }
  TokenCursor cursor;
  DplParser parser;
  std::shared_ptr<LineRecovery> recovery; // ANTLR requires a shared_ptr
};

/// Limit on the words of a declaration. Its parse tree takes about 400 bytes per word.
constexpr std::size_t mostWords = 1'000'000;

/// Whether a declaration has more words than the limit. If so, this is reported.
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
          .help("divide it into several declarations");
      return true;
    }
  }
  return false;
}

/// The tokens of a file. None, after a report, if it is not UTF-8 text, or is too deep or too
/// large.
std::optional<JoinedTokens> tokensOf(const SourceManager& sources, std::uint32_t file,
                                     DiagnosticEngine& diags, Damaged damaged = Damaged::LeaveOut) {
  if (checkText(sources, file, diags).failed())
    return std::nullopt;
  const llvm::StringRef text = sources.text(file);
  std::vector<Token> tokens = tokenize(text);
  if (damaged == Damaged::Keep)
    tokens = withRepairedBraces(std::move(tokens), text);
  JoinedTokens joined = joinLines(tokens, text, file, diags);
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
                       DiagnosticEngine& diags, Damaged damaged) {
  const unsigned before = diags.errors() + diags.heldBack();
  std::optional<JoinedTokens> joined = tokensOf(sources, file, diags, damaged);
  if (!joined)
    return {&arena.make<ast::File>(file, llvm::ArrayRef<const ast::Decl*>{}), true, {}};
  const llvm::StringRef text = sources.text(file);
  Parsing parsing(*joined, text, file, diags, damaged);
  AstBuilder builder(*joined, text, file, arena, diags, damaged);
  // A parse tree takes about 50 bytes per byte of text, so each tree is freed when its AST is
  // built.
  llvm::SmallVector<const ast::Decl*> declarations;
  parsing.parser.takeLine = [&](DplParser::TopLineContext& line) {
    if (const ast::Decl* decl = builder.build(line))
      declarations.push_back(decl);
  };
  parsing.parser.file();
  parsing.recovery->reportUnmatched();
  const ast::File& made = arena.make<ast::File>(file, arena.copy(llvm::makeArrayRef(declarations)));
  return {&made, diags.errors() + diags.heldBack() != before, builder.takeWithoutValue()};
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
