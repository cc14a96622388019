//===- WrongText.cpp - Messages about characters and numbers that are none of the language ----===//
#include "frontend/parse/WrongText.h"
#include "frontend/parse/Tokens.h"
#include "support/diagnostics/Parse.h"
#include "llvm/ADT/StringExtras.h"
using namespace dpl;

void dpl::reportUnknownCharacter(DiagnosticEngine& diags, SourceRange at, llvm::StringRef s) {
  auto report = diags.report<diag::UnknownCharacter>(at, s);
  if (s == "&" || s == "&&")
    std::move(report).help("write `and`");
  else if (s == "!")
    std::move(report).help("write `not`");
  else if (s == "'" || s == "`" || s == "“" || s == "”")
    std::move(report).help("text stands between `\"`");
  else if (s == "#")
    std::move(report).help("a comment begins with `//`");
  else if (s == ";")
    std::move(report).help("a new line or `,` ends a statement");
  else if (s == "µ" || s == "μ")
    std::move(report).help("write `u` for micro, as in `5us`").edit(at, "u");
  else if (s == "−" || s == "–")
    std::move(report).help("write `-`").edit(at, "-");
  else if (s == "×")
    std::move(report).help("write `*`").edit(at, "*");
}

void dpl::reportMalformedNumber(DiagnosticEngine& diags, SourceRange at, llvm::StringRef s) {
  std::uint64_t value = 0;
  auto report = diags.report<diag::MalformedNumber>(at, s);
  if (s.size() > 2 && s[0] == '0' && !llvm::isDigit(s[1]) && !s.getAsInteger(0, value))
    std::move(report)
        .help(fmt::format("numbers are decimal: write `{}`", value))
        .edit(at, std::to_string(value));
  else if (const std::string lower = s.lower();
           lower != s && tokenize(lower).front().is(TokenKind::Identifier))
    std::move(report).help(fmt::format("did you mean `{}`?", lower)).edit(at, lower);
  else if (s.endswith("_") || s.contains("__"))
    std::move(report).help("a `_` stands between two digits");
}
