//===- PlanSweepTest.cpp - Printed plans of which a number was changed ------------------------===//
#include "cost/step/PlanCheck.h"
#include "driver/workspace/Workspace.h"
#include "passes/Pass.h"
#include "tests/SourceFolder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include <gtest/gtest.h>

using namespace dpl;

namespace {
struct Place {
  std::size_t begin, end;
};

/// The numbers of a printed plan: of those that stand at one place of several alike parts (the
/// layers, the links, the ranks) the first.
std::vector<Place> numbersIn(llvm::StringRef text) {
  std::vector<Place> out;
  llvm::StringSet<> seen;
  std::vector<llvm::StringRef> around;
  for (std::size_t begin = 0; begin < text.size();) {
    const llvm::StringRef line = text.substr(begin).take_until([](char c) { return c == '\n'; });
    const std::string path = llvm::join(around, ".");
    bool inString = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
      inString ^= line[i] == '"';
      const bool first = llvm::isDigit(line[i]) && !llvm::isAlnum(line[i - 1]) &&
                         line[i - 1] != '_' && line[i - 1] != '.' && line[i - 1] != '-';
      if (inString || !first)
        continue;
      const std::size_t length =
          line.substr(i)
              .take_while([](char c) { return llvm::isAlnum(c) || c == '.' || c == '-'; })
              .size();
      const llvm::StringRef field = line.take_front(i).rtrim(" =[").rsplit(' ').second;
      if (seen.insert(path + "." + field.str()).second)
        out.push_back({begin + i, begin + i + length});
      i += length - 1;
    }
    const llvm::StringRef part = line.trim();
    if (part.endswith("{"))
      around.push_back(part.drop_back().trim());
    else if (part == "}" && !around.empty())
      around.pop_back();
    begin += line.size() + 1;
  }
  return out;
}

/// Without what a line that is broken elsewhere changes.
std::string words(std::string text) {
  llvm::erase_if(text, [](char c) { return c == ' ' || c == '\n' || c == ','; });
  return text;
}

constexpr const char* values[] = {"0",   "1", "65536", "4294967296", "18446744073709551615",
                                  "nan", "-1"};

/// Reads the text with each of its numbers as each of those values, and hands over what could be
/// read and holds together.
void sweep(const std::string& text, llvm::function_ref<void(ir::Plan&, DiagnosticEngine&)> use) {
  const std::vector<Place> numbers = numbersIn(text);
  EXPECT_GT(numbers.size(), 100U);
  for (const Place& place : numbers)
    for (const llvm::StringRef value : values) {
      const std::string changed =
          text.substr(0, place.begin) + value.str() + text.substr(place.end);
      DiagnosticEngine diags;
      FailureOr<ir::Plan> plan = ir::read(changed, "plan.ir", diags);
      EXPECT_TRUE(value != "nan" || plan.failed()) << text.substr(place.begin, 40);
      EXPECT_EQ(plan.failed(), diags.errors() > 0);
      const bool power = value == "65536" || value == "4294967296";
      EXPECT_TRUE(!power || plan.failed() || words(ir::print(*plan)) == words(changed))
          << "reads as another number: " << changed.substr(place.begin - 40, 60);
      if (!plan.failed() && cost::whatIsUnsound(*plan).empty())
        use(*plan, diags);
    }
}

/// The plan of an example: as the passes find it, and as they leave it.
struct Printed {
  std::string before, after;
};
Printed printed(const std::string& example) {
  Printed out;
  DiagnosticEngine diags;
  Workspace workspace;
  const std::string path = (test::sourceFolder() / "examples" / (example + ".dpl")).string();
  const std::unique_ptr<CompiledUnit> unit = workspace.compile(path, diags);
  if (unit->file.failed() || unit->file->plans.empty()) {
    ADD_FAILURE() << renderText(diags, workspace.sources(), false);
    return out;
  }
  ir::Plan& plan = unit->file->plans.front();
  out.before = ir::print(plan);
  EXPECT_TRUE(Workspace::complete(plan, diags).succeeded());
  out.after = ir::print(plan);
  return out;
}

class PlanSweep : public testing::TestWithParam<const char*> {};
} // namespace

TEST_P(PlanSweep, APlanBeforeThePasses_IsRefusedOrRuns) {
  sweep(printed(GetParam()).before, [](ir::Plan& plan, DiagnosticEngine& diags) {
    (void)runPipeline(plan, diags, {});
    diags.endPhase();
    EXPECT_FALSE(ir::print(plan).empty());
  });
}
INSTANTIATE_TEST_SUITE_P(Examples, PlanSweep,
                         testing::Values("smallest", "user_schema", "two_generations",
                                         "resnet50_a100"));

TEST(PlanSweep, ACompletePlan_IsRefusedOrPrintsAgain) {
  for (const char* example : {"smallest", "resnet50_a100"})
    sweep(printed(example).after, [](ir::Plan& plan, DiagnosticEngine&) {
      const std::string text = ir::print(plan);
      DiagnosticEngine diags;
      const FailureOr<ir::Plan> again = ir::read(text, "plan.ir", diags);
      ASSERT_FALSE(again.failed());
      EXPECT_EQ(ir::print(*again), text);
    });
}
