//===- DamagedExamplesTest.cpp - Names and plans around a half-typed import or a bracket ------===//
//
// The tests make a few of all damages of each example; DPL_LONG=1 makes all of them.
#include "frontend/parse/Tokens.h"
#include "tests/unit/ExampleNames.h"
#include "llvm/ADT/STLExtras.h"
#include <cstdlib>
#include <gtest/gtest.h>
using namespace dpl;
using namespace dpl::test;

namespace {
/// The edits of a text of which names and plans are compared.
using EditsOf = std::vector<TextEdit> (*)(const std::string&);

std::vector<TextEdit> deletedBraces(const std::string& text) {
  std::vector<TextEdit> out;
  for (const Token& token : tokenize(text))
    if (token.is(TokenKind::RightBrace))
      out.push_back({token.begin, 1});
  return out;
}

std::vector<TextEdit> addedBraces(const std::string& text) {
  std::vector<TextEdit> out;
  for (const Token& token : tokenize(text))
    if (!token.isHidden())
      out.push_back({token.begin, 0, "{"});
  return out;
}

std::vector<TextEdit> halfTypedImports(const std::string& text) {
  static const std::vector<std::string> lines = {"import",
                                                 "import std",
                                                 "import std.",
                                                 "import \"",
                                                 "import \"./sh",
                                                 "import std.models as",
                                                 "from",
                                                 "from models",
                                                 "from models.",
                                                 "from models import",
                                                 "from models import ",
                                                 "impo"};
  std::vector<std::uint32_t> places{0};
  for (std::size_t at = text.find('\n'); at + 1 < text.size(); at = text.find('\n', at + 1))
    if (text[at + 1] != ' ' && text[at + 1] != '}' && text[at + 1] != '/')
      places.push_back(static_cast<std::uint32_t>(at + 1));
  places.push_back(static_cast<std::uint32_t>(text.size()));
  std::vector<TextEdit> out;
  for (const std::uint32_t place : places)
    for (const std::string& line : lines)
      out.push_back({place, 0, line + "\n"});
  return out;
}

void keepsNamesAndPlans(EditsOf edits, std::size_t sample) {
  const std::size_t step = std::getenv("DPL_LONG") ? 1 : sample; // NOLINT
  std::size_t number = 0, tried = 0;
  for (const std::string& path : examplePaths()) {
    std::optional<EditedExample> example;
    const std::string text = EditedExample(path).text;
    for (const TextEdit& edit : edits(text)) {
      if (number++ % step != 0)
        continue;
      if (!example)
        example.emplace(path);
      ++tried;
      example->edit(edit);
      const std::string place =
          path + ":" + std::to_string(1 + llvm::StringRef(text).take_front(edit.at).count('\n')) +
          ": `" + edit.added + "` before `" + llvm::StringRef(text).substr(edit.at, 30).str() + "`";
      EXPECT_GE(example->keptNames(), 95.0) << place;
      const std::set<std::string> changed = example->changedPlans();
      if (changed.empty())
        continue;
      const std::set<std::string> damaged = usersOf(edit.at, example->names());
      for (const std::string& layout : changed)
        EXPECT_TRUE(damaged.count(layout) > 0) << layout << " without its plan: " << place;
    }
  }
  EXPECT_GT(tried, 50U);
}
} // namespace

TEST(DamagedExamples, WithoutAClosingBrace_OtherNamesAndPlansStay) {
  keepsNamesAndPlans(deletedBraces, 7);
}

TEST(DamagedExamples, WithAnAddedBrace_OtherNamesAndPlansStay) {
  keepsNamesAndPlans(addedBraces, 127);
}

TEST(DamagedExamples, WithAHalfTypedImport_OtherNamesAndPlansStay) {
  keepsNamesAndPlans(halfTypedImports, 61);
}
