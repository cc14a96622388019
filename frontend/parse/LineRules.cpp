//===- LineRules.cpp - Rules for lines that continue or begin a statement ---------------------===//
#include "frontend/parse/LineRules.h"
#include "llvm/ADT/STLExtras.h"
using namespace dpl;

namespace {

using Kind = TokenKind;

Kind kindAt(llvm::ArrayRef<Token> line, std::size_t i) {
  return i < line.size() ? line[i].kind : Kind::End;
}

/// Whether a line begins with a path and `=`, with which no expression begins. Only 64 tokens are
/// read.
bool isAssignment(llvm::ArrayRef<Token> line) {
  unsigned open = 0;
  for (std::size_t i = 1; i < 64; ++i) {
    const Kind k = kindAt(line, i);
    if (k == Kind::Assign)
      return open == 0;
    if (k == Kind::LeftBracket)
      ++open;
    else if (k == Kind::RightBracket && open > 0)
      --open;
    else if (open == 0 && k != Kind::Dot && kindAt(line, i - 1) != Kind::Dot)
      return false;
    if (k == Kind::NewLine || k == Kind::End)
      return false;
  }
  return false;
}

} // namespace

bool dpl::isBinary(Kind k) {
  return (k >= Kind::Equal && k <= Kind::Greater) || (k >= Kind::Plus && k <= Kind::Percent) ||
         k == Kind::RangeExclusive || k == Kind::Range || k == Kind::And || k == Kind::Or ||
         k == Kind::In;
}
bool dpl::continuesAfter(Kind k) {
  return isBinary(k) || k == Kind::Comma || k == Kind::Not || k == Kind::Per || k == Kind::Pipe ||
         k == Kind::Dot || k == Kind::Within || k == Kind::Across;
}
bool dpl::continuesBefore(Kind k) {
  return k == Kind::Then || k == Kind::Else || k == Kind::From || k == Kind::With || k == Kind::On;
}

bool dpl::startsStatement(llvm::ArrayRef<Token> line, bool behindBracket) {
  switch (kindAt(line, 0)) {
  case Kind::Param:
    return kindAt(line, 1) != Kind::Dot;
  case Kind::Import:
  case Kind::Let:
  case Kind::Schema:
  case Kind::Choice:
  case Kind::Search:
  case Kind::Assert:
  case Kind::Require:
  case Kind::Minimize:
  case Kind::Maximize:
    return true;
  case Kind::For:
    return !behindBracket;
  case Kind::Identifier:
    return kindAt(line, 1) == Kind::Identifier || isAssignment(line);
  default:
    return false;
  }
}

bool dpl::startsTopLevel(llvm::ArrayRef<Token> line, bool inside, bool atMargin) {
  switch (kindAt(line, 0)) {
  case Kind::Param:
    return !inside && kindAt(line, 1) != Kind::Dot;
  case Kind::Import:
  case Kind::Schema:
  case Kind::Search:
    return !inside;
  case Kind::Identifier:
    break;
  default:
    return false;
  }
  const Kind third = kindAt(line, 2);
  return kindAt(line, 1) == Kind::Identifier && atMargin &&
         (third == Kind::From || third == Kind::With || third == Kind::For || third == Kind::On ||
          third == Kind::LeftBrace);
}

bool dpl::isHalfTypedImport(llvm::ArrayRef<Token> line, llvm::ArrayRef<Token> before) {
  const bool lacksBase = before.size() > 1 &&
                         before.front().isOneOf(Kind::Identifier, Kind::Search, Kind::Schema) &&
                         llvm::none_of(before, [](const Token& t) {
                           return t.is(Kind::From) || t.is(Kind::Assign) || t.isOpening();
                         });
  return kindAt(line, 0) == Kind::From && !lacksBase;
}
