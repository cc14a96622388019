//===- SyntaxErrors.cpp - Messages for syntax errors ------------------------------------------===//
#include "frontend/parse/SyntaxErrors.h"
#include "support/Number.h"
#include "support/diagnostics/Parse.h"
using namespace dpl;

namespace {

using Kind = TokenKind;

class Reporter {
public:
  Reporter(const SyntaxError& e, llvm::StringRef text, std::uint32_t file, DiagnosticEngine& diags)
      : e(e), found(e.tokens[e.at]), before(e.at > 0 ? e.tokens[e.at - 1] : Token{}),
        first(e.tokens[e.statement]), text(text), file(file), diags(diags) {}

  void report() {
    if (!(e.wanted == Wanted::Value && value()) && !(e.wanted == Wanted::FieldValue && field()) &&
        !(e.wanted == Wanted::Statement && statement()) && !(e.wanted == Wanted::End && end()) &&
        !(e.wanted == Wanted::Name && name()) && !condition())
      diags.report<diag::UnexpectedToken>(place(), wanted(), describe(found));
  }

private:
  llvm::StringRef source(const Token& t) const { return text.slice(t.begin, t.end); }
  SourceRange range(const Token& t) const { return {file, t.begin, t.end}; }
  bool endsLine(const Token& t) const {
    return t.isOneOf(Kind::NewLine, Kind::End, Kind::RightBrace, Kind::Comma);
  }
  /// The place of the error. For a line end it is after the last word of the line.
  SourceRange place() const {
    if (found.isOneOf(Kind::NewLine, Kind::End) && e.at > 0)
      return {file, before.end, before.end};
    return range(found);
  }

  std::string describe(const Token& t) const {
    switch (t.kind) {
    case Kind::NewLine:
      return "the end of the line";
    case Kind::End:
      return "the end of the file";
    case Kind::String:
      return "a string";
    default:
      return t.begin == t.end ? fmt::format("`{}`", spelling(t.kind))
                              : fmt::format("`{}`", source(t).take_front(40));
    }
  }

  std::string wanted() const {
    switch (e.wanted) {
    case Wanted::Declaration:
      return "a declaration";
    case Wanted::Statement:
      return "a field or a statement";
    case Wanted::SchemaStatement:
      return "a field of the schema";
    case Wanted::End:
      return "the end of the line";
    case Wanted::FieldValue:
      return fmt::format("`=`, `in` or `{{` after `{}`", path());
    case Wanted::FieldType:
      return fmt::format("`:` and a type after `{}`", path());
    case Wanted::Value:
      return "a value";
    case Wanted::Name:
      return "a name";
    case Wanted::Type:
      return "a type";
    case Wanted::Module:
      return "the name of a module or the path of a file";
    case Wanted::Token:
      return spelling(e.token).empty() ? "the end" : fmt::format("`{}`", spelling(e.token));
    case Wanted::Other:
      break;
    }
    return "something else";
  }

  /// The path of a field, from the beginning of the statement to the token after the path.
  llvm::StringRef path() const {
    std::size_t last = e.statement;
    while (last + 1 < e.at && !e.tokens[last + 1].isOneOf(Kind::Assign, Kind::In, Kind::Colon))
      ++last;
    return text.slice(first.begin, e.tokens[last].end);
  }

  bool value() {
    if (found.is(Kind::LeftBrace) && before.is(Kind::Assign) && !first.is(Kind::Let)) {
      diags.report<diag::AssignedBlock>(range(before), path())
          .help("drop the `=`")
          .edit({file, before.begin, found.begin}, "");
      return true;
    }
    if (before.is(Kind::Percent) && e.at >= 2 && e.tokens[e.at - 2].is(Kind::Number) &&
        e.tokens[e.at - 2].end == before.begin) {
      diags.report<diag::UnexpectedToken>(place(), wanted(), describe(found))
          .help(fmt::format("percent is written `{}pct`, `%` is the remainder",
                            source(e.tokens[e.at - 2])))
          .edit(range(before), "pct");
      return true;
    }
    if (endsLine(found) && !spelling(before.kind).empty() && !before.isOpening() &&
        !before.is(Kind::Comma)) {
      diags.report<diag::MissingValue>(range(before), before.is(Kind::Assign)
                                                          ? fmt::format("`{} =`", path())
                                                          : describe(before));
      return true;
    }
    if (found.isKeyword()) {
      diags.report<diag::KeywordAsName>(range(found), source(found), "a value");
      return true;
    }
    return false;
  }

  /// Reports a word that cannot begin a statement of a block.
  bool statement() {
    if (found.is(Kind::Slash)) {
      diags.report<diag::UnexpectedToken>(range(found), wanted(), describe(found))
          .help("a comment begins with `//`");
      return true;
    }
    const Kind next = e.at + 1 < e.tokens.size() ? e.tokens[e.at + 1].kind : Kind::End;
    if (found.isKeyword() && (next == Kind::Assign || next == Kind::LeftBrace ||
                              next == Kind::Dot || next == Kind::LeftBracket)) {
      diags.report<diag::KeywordAsName>(range(found), source(found), "the name of a field");
      return true;
    }
    if (!found.isOneOf(Kind::Import, Kind::Param, Kind::Schema, Kind::Search))
      return false;
    diags.report<diag::UnexpectedToken>(range(found), wanted(), describe(found))
        .help(fmt::format("`{}` is declared outside of every block", source(found)));
    return true;
  }

  bool field() {
    if (found.is(Kind::Colon)) {
      diags.report<diag::ColonInBlock>(range(found), path())
          .help("set a field with `=`")
          .edit(range(found), before.end == found.begin ? " =" : "=");
      return true;
    }
    if (!found.isOneOf(Kind::Number, Kind::Quantity, Kind::String, Kind::Identifier, Kind::True,
                       Kind::False, Kind::If))
      return false;
    const Kind next = e.at + 1 < e.tokens.size() ? e.tokens[e.at + 1].kind : Kind::End;
    if (found.is(Kind::Identifier) &&
        (next == Kind::From || next == Kind::With || next == Kind::For || next == Kind::On)) {
      diags
          .report<diag::UnexpectedToken>(range(first), "a field or a statement",
                                         fmt::format("the block `{} {}`", path(), source(found)))
          .help("blocks are declared outside of every block");
      return true;
    }
    diags.report<diag::MissingAssign>(range(found), path(), describe(found))
        .help("set a field with `=`")
        .edit({file, found.begin, found.begin}, "= ");
    return true;
  }

  bool end() {
    if (before.is(Kind::Number) && found.is(Kind::Identifier) && findUnit(source(found))) {
      diags.report<diag::UnitApart>(range(found), source(found))
          .help(fmt::format("write `{}{}`", source(before), source(found)))
          .edit({file, before.end, found.begin}, "");
      return true;
    }
    if (condition())
      return true;
    auto report = diags.report<diag::StatementGoesOn>(place(), describe(found));
    if (found.is(Kind::Pipe))
      std::move(report).help("write `or`");
    else if (found.is(Kind::From) && e.statement + 1 < e.tokens.size() &&
             e.tokens[e.statement + 1].is(Kind::Identifier))
      std::move(report).help(fmt::format(
          "`from` is written after the name, before `with`, `for` and `on`: `{} {} from …`",
          source(first), source(e.tokens[e.statement + 1])));
    else if (found.is(Kind::If) || source(found) == "when")
      std::move(report).help(
          "a condition is written first: `if c { … }`, or `= if c then a else b`");
    else if (found.is(Kind::Identifier) && e.at + 1 < e.tokens.size() &&
             e.tokens[e.at + 1].is(Kind::Assign))
      std::move(report)
          .help("a `,` or a new line ends a statement")
          .edit({file, before.end, before.end}, ",");
    return true;
  }

  bool name() {
    if (first.kind == Kind::Identifier && e.at == e.statement + 1 && first.depth == 0 &&
        found.isOneOf(Kind::Assign, Kind::Dot, Kind::LeftBracket, Kind::In)) {
      diags.report<diag::FieldOutsideBlock>(range(first), source(first))
          .help("a file holds declarations: `layout name for model on cluster { … }`");
      return true;
    }
    if (!found.isKeyword())
      return false;
    diags.report<diag::KeywordAsName>(range(found), source(found), "a name");
    return true;
  }

  /// Reports `=` in a condition: `assert a = b` and `if a = b { … }`.
  bool condition() {
    if (!found.is(Kind::Assign) || !first.isOneOf(Kind::Assert, Kind::Require, Kind::If))
      return false;
    diags.report<diag::AssignInCondition>(range(found)).help("write `==`").edit(range(found), "==");
    return true;
  }

  const SyntaxError& e;
  const Token found, before, first;
  llvm::StringRef text;
  std::uint32_t file;
  DiagnosticEngine& diags;
};

} // namespace

void dpl::reportSyntaxError(const SyntaxError& error, llvm::StringRef text, std::uint32_t file,
                            DiagnosticEngine& diags) {
  Reporter(error, text, file, diags).report();
}
