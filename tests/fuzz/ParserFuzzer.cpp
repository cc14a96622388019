//===- ParserFuzzer.cpp - Any bytes: no crash, and the formatter keeps the meaning ------------===//
#include "frontend/ast/Encoding.h"
#include "frontend/format/Format.h"
#include "frontend/parse/ParseTree.h"
#include <cstdio>
#include <cstdlib>
using namespace dpl;

namespace {

void demand(bool holds, const char* what, llvm::StringRef text) {
  if (holds)
    return;
  std::fprintf(stderr, "%s\n%s\n", what, text.str().c_str());
  std::abort();
}

struct Reading {
  explicit Reading(std::string text) : file(sources.add("fuzz.dpl", std::move(text))) {}
  std::string structureOf() {
    const ParseResult parsed = parse(sources, file, arena, diags);
    ok = !parsed.failed;
    return structure(*parsed.file, sources.text(file));
  }
  SourceManager sources;
  DiagnosticEngine diags;
  Arena arena;
  std::uint32_t file;
  bool ok = false;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Reading given(std::string(reinterpret_cast<const char*>(data), size));
  const std::string meant = given.structureOf();
  given.diags.endPhase();
  if (!given.ok) {
    demand(given.diags.errors() > 0, "failed without an error", given.sources.text(given.file));
    (void)renderText(given.diags, given.sources, false);
    return 0;
  }
  demand(given.diags.errors() == 0, "an error without failing", given.sources.text(given.file));
  demand(countGrammarConflicts(given.sources, given.file) == 0, "the grammar has a conflict",
         given.sources.text(given.file));
  FailureOr<std::string> once = format(given.sources, given.file, given.diags);
  Reading again(*once);
  demand(again.structureOf() == meant && again.ok, "the formatter changed the meaning", *once);
  const FailureOr<std::string> twice = format(again.sources, again.file, again.diags);
  demand(*twice == *once, "formatting again changes the text", *once);
  return 0;
}
