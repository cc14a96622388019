//===- BrokenFilesTest.cpp - Every error of a random broken file has a place ------------------===//
//
// DPL_PROPERTY_PLANS=10000 tries as many files, DPL_SEED draws others; the default is a slice.
#include "backends/Target.h"
#include "tests/unit/RandomFiles.h"
#include "llvm/ADT/StringExtras.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace dpl;
using namespace dpl::test;

namespace {
/// A word of the text: a name, or a number with its unit.
struct Word {
  std::size_t begin, length;
};
std::vector<Word> wordsOf(llvm::StringRef text, std::size_t from) {
  std::vector<Word> out;
  for (std::size_t at = from; at < text.size(); ++at) {
    std::size_t end = at;
    while (end < text.size() && (llvm::isAlnum(text[end]) || text[end] == '_'))
      ++end;
    if (end > at)
      out.push_back({at, end - at});
    at = std::max(at, end);
  }
  return out;
}

/// The text with one word of its blocks changed: left out, doubled or misspelt, or another number.
std::string broken(const std::string& text, RandomFiles& random) {
  const std::vector<Word> words = wordsOf(text, text.find("model llm"));
  const bool wantsNumber = random.below(3) > 0;
  Word word = words[random.below(words.size())];
  while (wantsNumber != (llvm::isDigit(text[word.begin]) != 0))
    word = words[random.below(words.size())];
  std::string now = text.substr(word.begin, word.length);
  if (wantsNumber) {
    constexpr const char* numbers[] = {"0", "1", "3", "5", "24", "1000", "99999999999"};
    const std::size_t digits = std::min(now.find_first_not_of("0123456789"), now.size());
    now.replace(0, digits, numbers[random.below(7)]);
  } else if (const std::uint64_t kind = random.below(4); kind == 0) {
    now = "";
  } else if (kind == 1) {
    now += " " + now;
  } else {
    now.erase(random.below(now.size()), 1); // a letter is missing
  }
  std::string out = text;
  return out.replace(word.begin, word.length, now);
}

std::string edited(std::string text, std::vector<Edit> edits) {
  std::stable_sort(edits.begin(), edits.end(),
                   [](const Edit& a, const Edit& b) { return a.range.begin > b.range.begin; });
  for (const Edit& edit : edits)
    text.replace(edit.range.begin, edit.range.end - edit.range.begin, edit.text);
  return text;
}

/// All that is said of a text: by the front end, the passes, and the framework's target.
void hear(const std::string& text, DiagnosticEngine& diags, Workspace& workspace,
          const std::string& name) {
  workspace.overlay(name, text);
  const std::unique_ptr<CompiledUnit> unit = workspace.compile(name, diags);
  if (unit->file.failed() || diags.errors() > 0)
    return;
  for (ir::Plan& plan : unit->file->plans)
    if (Workspace::complete(plan, diags, withoutAdvice()).succeeded())
      if (const Target* target = targetNamed(plan.framework.name)) {
        (void)check({*target, plan, releaseFor(*target, plan), {}}, diags);
        diags.endPhase();
      }
}

std::size_t timesSaid(const DiagnosticEngine& diags, const Diagnostic& of) {
  return static_cast<std::size_t>(llvm::count_if(diags.diagnostics(), [&](const Diagnostic& d) {
    return d.message == of.message && llvm::StringRef(d.info.code) == of.info.code;
  }));
}
} // namespace

TEST(BrokenFiles, EachErrorHasAPlace_AndItsEditMendsIt) {
  const std::uint64_t files = numberOf("DPL_PROPERTY_PLANS", 200, 2000);
  RandomFiles random(static_cast<unsigned>(numberOf("DPL_SEED", 1)));
  std::size_t errors = 0, edits = 0, accepted = 0;
  LayoutFile file;
  for (std::uint64_t i = 0; i < files; ++i) {
    if (i % 10 == 0)
      file = random.file();
    const std::string text = broken(file.text(), random);
    SCOPED_TRACE(text);
    Workspace workspace;
    DiagnosticEngine diags;
    hear(text, diags, workspace, "plan.dpl");
    accepted += diags.errors() == 0 ? 1 : 0;
    for (const Diagnostic& d : diags.diagnostics()) {
      if (d.info.severity == Severity::Error) {
        ++errors;
        EXPECT_TRUE(d.range.valid()) << d.info.code << ": " << d.message;
        EXPECT_FALSE(llvm::StringRef(d.info.code).startswith("DPL09")) << d.message;
      }
      if (d.edits.empty())
        continue;
      ++edits;
      DiagnosticEngine after;
      const std::string mended = edited(text, d.edits);
      hear(mended, after, workspace, fmt::format("edited{}.dpl", edits));
      EXPECT_LT(timesSaid(after, d), timesSaid(diags, d))
          << mended << d.info.code << " is said again: " << d.message;
    }
  }
  std::printf("%llu files: %zu errors, %zu edits, %zu without an error\n",
              static_cast<unsigned long long>(files), errors, edits, accepted);
  EXPECT_GT(errors * 2, files);
  EXPECT_GT(edits * 20, files);
}
