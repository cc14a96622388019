//===- FileNamesExamplesTest.cpp - Names, plans and offers in all examples, also damaged ------===//
//
// Values are deleted one at a time. Some tests try every 16th of them; DPL_LONG=1 tries all. The
// table of common values has those of these examples, so the figure of the offers is not that of a
// new file: with a table of one half of the examples, 73 % of the values in the other half are
// offered.
#include "frontend/parse/LineRules.h"
#include "frontend/parse/Tokens.h"
#include "tests/unit/ExampleNames.h"
#include "tests/unit/ParseTesting.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <set>
using namespace dpl;
using namespace dpl::test;

namespace {
/// A value after `=`, without what follows it on the line.
struct WrittenValue {
  std::uint32_t begin, end;
};

std::vector<WrittenValue> valuesIn(llvm::StringRef text) {
  std::vector<Token> words;
  for (const Token& token : tokenize(text))
    if (!token.isHidden())
      words.push_back(token);
  std::vector<WrittenValue> out;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (!words[i].is(TokenKind::Assign))
      continue;
    unsigned depth = 0;
    std::size_t end = i + 1;
    for (; !words[end].is(TokenKind::End); ++end) {
      const Token& t = words[end];
      const bool line = t.is(TokenKind::NewLine) && !continuesAfter(words[end - 1].kind) &&
                        !continuesBefore(words[end + 1].kind);
      if (depth == 0 && (line || t.isClosing() ||
                         t.isOneOf(TokenKind::Comma, TokenKind::Within, TokenKind::Across)))
        break;
      depth += t.isOpening();
      depth -= t.isClosing();
    }
    if (end > i + 1)
      out.push_back({words[i + 1].begin, words[end - 1].end});
  }
  return out;
}

/// Calls `visit(path, text, value, damaged text)` for one of `sample` values of the examples.
template <class Visit> void eachDeletion(std::size_t sample, const Visit& visit) {
  const std::size_t step = std::getenv("DPL_LONG") ? 1 : sample; // NOLINT
  std::size_t count = 0;
  for (const std::string& path : examplePaths()) {
    const std::string text = slurp(path);
    for (const WrittenValue& value : valuesIn(text))
      if (count++ % step == 0)
        visit(path, text, value, text.substr(0, value.begin) + text.substr(value.end));
  }
}

std::string withoutBlanks(llvm::StringRef text) {
  std::string out;
  for (const char c : text)
    if (c != ' ' && c != '\n' && c != '_')
      out += c;
  return out;
}

/// Whether an offer is the value, or the name before its block.
bool writes(const Offer& offer, llvm::StringRef value) {
  const llvm::StringRef head = value.take_until([](char c) { return c == '{'; });
  return withoutBlanks(offer.text) == withoutBlanks(value) ||
         (head.size() < value.size() && offer.text == head.rtrim());
}
} // namespace

TEST(FileNamesExamples, EveryName_MeansSomething) {
  std::size_t count = 0;
  for (const std::string& path : examplePaths()) {
    Workspace workspace;
    const std::unique_ptr<FileNames> names = workspace.names(path);
    const std::uint32_t file = *names->source();
    for (const Token& token : tokenize(names->sources().text(file))) {
      if (!token.is(TokenKind::Identifier))
        continue;
      ++count;
      const SourceRange range{file, token.begin, token.end};
      const std::optional<NameUse> use = names->useAt(file, token.begin);
      ASSERT_TRUE(use && use->use == range) << names->sources().describe(range);
      const bool known = use->declaration.valid() || use->thing == NamedThing::Key ||
                         use->thing == NamedThing::Module;
      const NameInfo info = *names->at(file, token.begin);
      EXPECT_TRUE(known || !info.doc.empty()) << names->sources().describe(range);
    }
  }
  EXPECT_GT(count, 10'000U);
}

TEST(FileNamesExamples, Names_AgreeWithTheCompilation) {
  std::size_t compared = 0;
  for (const std::string& path : examplePaths()) {
    Workspace workspace;
    DiagnosticEngine diags;
    const std::unique_ptr<CompiledUnit> unit = workspace.compile(path, diags, {}, true);
    const std::unique_ptr<FileNames> names = workspace.names(path);
    for (const NameUse& use : names->uses(*names->source())) {
      const std::optional<NameAt> other = unit->nameAt(use.use.file, use.use.begin);
      // Roots of figures are not those schemas that have the same name.
      if (!other || !(other->use == use.use) || use.thing == NamedThing::Figure ||
          other->meaning.kind == NameMeaning::NameKind::Import ||
          !other->meaning.declaration.valid())
        continue;
      ++compared;
      EXPECT_EQ(names->sources().describe(use.declaration),
                names->sources().describe(other->meaning.declaration))
          << names->sources().describe(use.use);
    }
  }
  EXPECT_GT(compared, 5000U);
}

TEST(FileNamesExamples, WithoutOneValue_OtherNamesKeepTheirMeaning) {
  std::size_t tried = 0;
  std::string last;
  std::unique_ptr<Workspace> workspace;
  std::unique_ptr<FileNames> whole;
  eachDeletion(16, [&](const std::string& path, const std::string&, const WrittenValue& value,
                       const std::string& damaged) {
    if (std::exchange(last, path) != path) {
      workspace = std::make_unique<Workspace>();
      whole = workspace->names(path);
    }
    workspace->overlay(path, damaged);
    const std::unique_ptr<FileNames> names = workspace->names(path);
    const auto moved = [&](SourceRange at) {
      if (at.file != *whole->source())
        return names->sources().describe(at);
      const std::uint32_t by = at.begin >= value.end ? value.end - value.begin : 0;
      return names->sources().describe({*names->source(), at.begin - by, at.end - by});
    };
    std::size_t kept = 0, all = 0;
    for (const NameUse& use : whole->uses(*whole->source())) {
      if (use.use.begin >= value.begin && use.use.end <= value.end)
        continue;
      ++all;
      const std::uint32_t by = use.use.begin >= value.end ? value.end - value.begin : 0;
      const std::optional<NameUse> now = names->useAt(*names->source(), use.use.begin - by);
      kept += now && now->thing == use.thing && now->use.begin == use.use.begin - by &&
              (!use.declaration.valid() ||
               names->sources().describe(now->declaration) == moved(use.declaration));
    }
    ++tried;
    EXPECT_GE(100 * kept, 95 * all)
        << whole->sources().describe({*whole->source(), value.begin, value.end});
  });
  EXPECT_GT(tried, 150U);
}

TEST(FileNamesExamples, WithoutOneValue_AllOtherLayoutsKeepTheirPlans) {
  std::size_t plans = 0;
  std::string last;
  std::unique_ptr<Workspace> workspace, undamaged;
  std::unique_ptr<FileNames> whole;
  std::map<std::string, std::string> hashes;
  eachDeletion(16, [&](const std::string& path, const std::string& text, const WrittenValue& value,
                       const std::string& damaged) {
    if (std::exchange(last, path) != path) {
      workspace = std::make_unique<Workspace>();
      undamaged = std::make_unique<Workspace>();
      DiagnosticEngine diags;
      hashes.clear();
      const std::unique_ptr<CompiledUnit> unit = undamaged->compile(path, diags);
      for (ir::Plan& plan : unit->file->plans)
        hashes[plan.name] = hashOfPrediction(plan);
      whole = undamaged->names(path);
    }
    workspace->overlay(path, damaged);
    const std::unique_ptr<CompiledUnit> unit = workspace->compileAroundMissingValues(path);
    ASSERT_FALSE(unit->file.failed()) << path << ": " << text.substr(value.begin - 20, 40);
    std::set<std::string> made;
    for (ir::Plan& plan : unit->file->plans) {
      ++plans;
      made.insert(plan.name);
      // The plans of the damaged layout and of its users are those of the whole file as well, or
      // they are left out.
      EXPECT_EQ(hashOfPrediction(plan), hashes[plan.name])
          << path << ": " << text.substr(value.begin - 20, 40);
    }
    const std::set<std::string> damagedOnes = usersOf(value.begin, *whole);
    for (const auto& [name, hash] : hashes)
      EXPECT_TRUE(made.count(name) > 0 || damagedOnes.count(name) > 0)
          << path << ": " << name << " without " << text.substr(value.begin - 20, 40);
    DiagnosticEngine diags;
    (void)workspace->compile(path, diags);
    EXPECT_GT(diags.errors(), 0U); // commands refuse the file
  });
  EXPECT_GT(plans, 50U);
}

TEST(FileNamesExamples, AWrittenValue_IsAmongTheFirstFiveOffers) {
  std::size_t offered = 0, all = 0;
  std::string last;
  std::unique_ptr<Workspace> workspace;
  eachDeletion(1, [&](const std::string& path, const std::string& text, const WrittenValue& value,
                      const std::string& damaged) {
    if (std::exchange(last, path) != path)
      workspace = std::make_unique<Workspace>();
    workspace->overlay(path, damaged);
    const std::unique_ptr<FileNames> names = workspace->names(path);
    const Expected expected = names->expectedAt(*names->source(), value.begin);
    EXPECT_EQ(expected.kind, Expected::ExpectedKind::Value) << path << ": " << value.begin;
    if (expected.field.empty())
      return; // a `let` may have any value
    ++all;
    const llvm::StringRef written = llvm::StringRef(text).slice(value.begin, value.end);
    const auto first = llvm::makeArrayRef(expected.offers).take_front(5);
    offered += llvm::any_of(first, [&](const Offer& one) { return writes(one, written); });
  });
  EXPECT_GT(all, 3000U);
  EXPECT_GE(100 * offered, 90 * all) << offered << " of " << all;
}
