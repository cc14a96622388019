#include "ParseTesting.h"
#include "frontend/ast/Encoding.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
using namespace dpl;
using dpl::test::dplFiles;
using dpl::test::Parsed;
using dpl::test::slurp;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

namespace {

/// The value of `x` in `k b { x = … }`.
const ast::Expr& valueOf(const Parsed& p) {
  const auto& decl = llvm::cast<ast::BlockDecl>(*p.result.file->declarations[0]);
  return *llvm::cast<ast::FieldStmt>(*decl.block->statements[0]).value;
}

/// Fully bracketed, so that a test sees how operators bind.
std::string bracketed(const ast::Expr& e, llvm::StringRef text) {
  if (const auto* b = llvm::dyn_cast<ast::BinaryExpr>(&e))
    return fmt::format("({} {} {})", bracketed(b->left, text), ast::spelling(b->op),
                       bracketed(b->right, text));
  if (const auto* u = llvm::dyn_cast<ast::UnaryExpr>(&e))
    return fmt::format("({} {})", u->op == ast::UnaryOp::Not ? "not" : "-",
                       bracketed(u->operand, text));
  if (const auto* s = llvm::dyn_cast<ast::ScopedExpr>(&e))
    return fmt::format("({} per {})", bracketed(s->value, text), s->scope.text);
  return text.slice(e.range.begin, e.range.end).str();
}
std::string bracketed(const std::string& expression) {
  const Parsed p("k b { x = " + expression + " }");
  return p.result.failed ? "error" : bracketed(valueOf(p), p.sources.text(p.id));
}

TEST(Precedence, LooseToTight) {
  EXPECT_EQ(bracketed("a or b and not c == d"), "(a or (b and (not (c == d))))");
  EXPECT_EQ(bracketed("x in 1..a + b * c"), "(x in (1 .. (a + (b * c))))");
  EXPECT_EQ(bracketed("-a * b"), "((- a) * b)");
  EXPECT_EQ(bracketed("-a.b[1] per gpu"), "(- (a.b[1] per gpu))");
  EXPECT_EQ(bracketed("2 * 3GB per gpu"), "(2 * (3GB per gpu))");
}

TEST(Precedence, OperatorsOfOneLevelGoLeftToRight) {
  EXPECT_EQ(bracketed("a - b - c"), "((a - b) - c)");
  EXPECT_EQ(bracketed("a / b * c % d"), "(((a / b) * c) % d)");
}

TEST(Parse, TheLibraryParsesWithoutConflicts) {
  for (const auto& path : dplFiles("stdlib")) {
    const Parsed p(slurp(path));
    EXPECT_THAT(p.codes(), IsEmpty()) << path;
    EXPECT_EQ(countGrammarConflicts(p.sources, p.id), 0U) << path;
  }
}

TEST(Parse, TheExamplesParseWithoutConflicts) {
  for (const auto& path : dplFiles("examples")) {
    const Parsed p(slurp(path));
    EXPECT_EQ(countGrammarConflicts(p.sources, p.id), 0U) << path;
    EXPECT_THAT(p.codes(), IsEmpty()) << path;
  }
  for (const auto& path : dplFiles("tests/broken")) {
    const Parsed p(slurp(path));
    EXPECT_EQ(countGrammarConflicts(p.sources, p.id), 0U) << path;
  }
}

TEST(Parse, TheLanguageTourParsesWithoutConflicts) {
  for (const auto& path : dplFiles("tests/unit/data/tour")) {
    const Parsed p(slurp(path));
    EXPECT_THAT(p.codes(), IsEmpty()) << path;
    EXPECT_EQ(countGrammarConflicts(p.sources, p.id), 0U) << path;
  }
}

TEST(Parse, SixMistakesAreSixMessagesAtTheirLines) {
  const Parsed p(R"(cluster pod from clusters.dgx_h100 {
  nodes: 64
  node.gpu.memory = 80 GiB
  network { bandwidth 400Gbps, latency = 5us }
  fine = 3
}
layout l for m on pod {
  mesh = { tensor = 8 }
  batch =
  split = balanced extra
  also_fine = 4
}
)");
  EXPECT_THAT(p.codes(), ElementsAre("DPL0020@2", "DPL0022@3", "DPL0024@4", "DPL0019@8",
                                     "DPL0018@9", "DPL0017@10"));
  // What is sound beside them is kept.
  ASSERT_EQ(p.result.file->declarations.size(), 2U);
  const auto& pod = llvm::cast<ast::BlockDecl>(*p.result.file->declarations[0]);
  EXPECT_EQ(pod.block->statements.size(), 2U);
  const auto& l = llvm::cast<ast::BlockDecl>(*p.result.file->declarations[1]);
  EXPECT_EQ(l.block->statements.size(), 1U);
}

TEST(Parse, AForgottenBracketIsOneMessage) {
  const std::string text =
      "model m from models.decoder {\n  layer {\n    ffn = gated { width = 3 }\n"
      "    sizes = [1, 2, f(3, 4)]\n  }\n  after = [\n    a { b = [1] },\n"
      "  ]\n}\n\ncluster c from d {\n  nodes = 4\n}\n";
  ASSERT_THAT(Parsed(text).codes(), IsEmpty());
  for (std::size_t i = 0; i < text.size(); ++i)
    if (llvm::StringRef("{}[]()").contains(text[i])) {
      std::string less = text;
      less.erase(i, 1);
      const Parsed p(less);
      EXPECT_EQ(p.codes().size(), 1U) << ::testing::PrintToString(p.codes()) << "\n" << less;
    }
}

TEST(Parse, SureEditsRepairTheFile) {
  const Parsed p(R"(k b {
  a: 3
  c = { d = 1 }
  e 5
  f = 80 GiB
  g = 1 <= x <= 8
  h = 64seq/dp
  i = 70GBps
  if a = 3 { j = 1 }
  l = 400Gbps/gpu
}
)");
  EXPECT_EQ(p.codes().size(), 9U);
  const Parsed again(p.repaired());
  EXPECT_THAT(again.codes(), IsEmpty()) << p.repaired();
  EXPECT_NE(p.repaired().find("g = x in 1..8"), std::string::npos);
  EXPECT_NE(p.repaired().find("i = 70GB/s"), std::string::npos);
  EXPECT_NE(p.repaired().find("l = 400Gbps per gpu"), std::string::npos);
}

struct Mistake {
  const char* text;
  const char* code;
};
class OneMistake : public ::testing::TestWithParam<Mistake> {};

TEST_P(OneMistake, IsOneMessage) {
  const Parsed p(GetParam().text);
  EXPECT_THAT(p.codes(), ElementsAre(GetParam().code)) << GetParam().text;
  EXPECT_TRUE(p.result.failed);
}

INSTANTIATE_TEST_SUITE_P(
    Parse, OneMistake,
    ::testing::Values(
        Mistake{"k b { x = \"abc\n}\n", "DPL0011@1"},
        Mistake{"k b { x = f(\"abc)\n y = 1 }\n", "DPL0011@1"},
        Mistake{"k b { x = \"a\\q\" }\n", "DPL0012@1"},
        Mistake{"k b { x = a && b }\n", "DPL0010@1"}, Mistake{"k b { x = 'abc' }\n", "DPL0010@1"},
        Mistake{"k b { x = 5µs }\n", "DPL0010@1"},
        Mistake{"k b {\n x = [1, 2\n y = 3\n}\n", "DPL0013@2"},
        Mistake{"k b {\n x = (1 + 2\n}\n", "DPL0013@2"},
        Mistake{"k b {\n x = f(\n y = 3\n}\n", "DPL0013@2"},
        Mistake{"k b {\n x = 3\n", "DPL0013@1"},
        Mistake{"k b {\n  mesh {\n    d = 1\n  y = 2\n}\nk c { x = 1 }\n", "DPL0013@2"},
        Mistake{"k b {\n x = 3\nimport std.models\n", "DPL0013@1"},
        Mistake{"k b { x = 3 }\n}\n", "DPL0014@2"}, Mistake{"k b { x = 3) }\n", "DPL0014@1"},
        Mistake{"k b { x = }\n", "DPL0018@1"}, Mistake{"k b {\n x =\n y = 3\n}\n", "DPL0018@2"},
        Mistake{"k b {\n x = 3 *\n y = 3\n}\n", "DPL0018@2"},
        Mistake{"k b { x = on }\n", "DPL0023@1"}, Mistake{"batch = 3\n", "DPL0025@1"},
        Mistake{"k b { x = 1 + 2 { a = 1 } }\n", "DPL0026@1"},
        Mistake{"k b { x = f(1 + 2: 3) }\n", "DPL0028@1"}, Mistake{"assert a = 3\n", "DPL0027@1"},
        Mistake{"k b { x = a < b < c }\n", "DPL0021@1"},
        Mistake{"k b { x = 70zork }\n", "DPL0100@1"},
        Mistake{"k b { x = 64seq/dp }\n", "DPL0101@1"}, Mistake{"k b { x = 1e99 }\n", "DPL0105@1"},
        Mistake{"k b { = 3 }\n", "DPL0016@1"}, Mistake{"k b fro c { x = 3 }\n", "DPL0017@1"},
        Mistake{"schema s { x = }\n", "DPL0018@1"}, Mistake{"schema s { x: 3 }\n", "DPL0016@1"},
        Mistake{"schema s { choice a { 3 } }\n", "DPL0016@1"}, Mistake{"k b\n", "DPL0016@1"},
        Mistake{"k b for c on d\n", "DPL0016@1"}, Mistake{"k b { x = [1,,2] }\n", "DPL0016@1"},
        Mistake{"import 3\n", "DPL0016@1"}, Mistake{"= 3\n", "DPL0016@1"},
        Mistake{"k b { x = 1, if y }\n", "DPL0016@1"}));

/// Text that a stack would not survive is one error, soon.
class TooDeep : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(TooDeep, IsOneLocatedError) {
  std::string text = "k b { x = ";
  for (int i = 0; i < 50'000; ++i)
    text += GetParam().first;
  text += GetParam().second;
  const Parsed p(text + " }\n");
  EXPECT_THAT(p.codes(), ElementsAre("DPL0015@1"));
}
INSTANTIATE_TEST_SUITE_P(Parse, TooDeep,
                         ::testing::Values(std::pair("(", "1"), std::pair("[", "1"),
                                           std::pair("-", "1"), std::pair("not ", "a"),
                                           std::pair("1 + ", "1"), std::pair("a.", "b"),
                                           std::pair("if a then b else ", "c"),
                                           std::pair("a { x = ", "1"), std::pair("f(", "1"),
                                           std::pair("1 - -", "1")));

TEST(Parse, WhatIsLongButNotDeepIsFine) {
  std::string text = "k b { x = [";
  for (int i = 0; i < 5'000; ++i)
    text += "1, ";
  const Parsed p(text + "]\n" + std::string(5'000, '\n') + " y = 3 }\n");
  EXPECT_THAT(p.codes(), IsEmpty());
}

TEST(Parse, NestingUpToTheLimitIsFine) {
  const Parsed p("k b { x = " + std::string(250, '(') + "1" + std::string(250, ')') + " }\n");
  EXPECT_THAT(p.codes(), IsEmpty());
}

TEST(Parse, LineEndsOfWindowsAndAByteOrderMarkAreAccepted) {
  const Parsed p("\xEF\xBB\xBFk b {\r\n  x = 1\r\n\r\n  y = [\r\n    2,\r\n  ]\r\n}\r\n");
  EXPECT_THAT(p.codes(), IsEmpty());
  const auto& b = llvm::cast<ast::BlockDecl>(*p.result.file->declarations[0]);
  EXPECT_EQ(b.blockKind.text, "k");
  EXPECT_EQ(b.block->statements.size(), 2U);
}

TEST(Parse, WhatIsNoTextIsOneError) {
  EXPECT_THAT(Parsed("k b { x = \"\xff\" }\n").codes(), ElementsAre("DPL0001@1"));
  EXPECT_THAT(Parsed(std::string("k b {\n\0 }\n", 10)).codes(), ElementsAre("DPL0006@2"));
  EXPECT_THAT(Parsed("k b {\r x = 1 }\n").codes(), ElementsAre("DPL0007@1"));
}

TEST(Parse, AnEmptyFileHasNothing) {
  for (const char* text : {"", "\n", "\n\n// only a comment\n", "// no line end"}) {
    const Parsed p(text);
    EXPECT_THAT(p.codes(), IsEmpty());
    EXPECT_TRUE(p.result.file->declarations.empty());
  }
}

TEST(Parse, PlacesAreBytesWhereTextIsNotAscii) {
  const Parsed p("// 8 × 8 × 8\nk b { s = \"αβγ\", x = nope + 3 }\n");
  EXPECT_THAT(p.codes(), IsEmpty());
  const auto& b = llvm::cast<ast::BlockDecl>(*p.result.file->declarations[0]);
  const auto& x = llvm::cast<ast::FieldStmt>(*b.block->statements[1]);
  EXPECT_EQ(p.sources.text(x.value->range), "nope + 3");
}

TEST(Parse, ACommentOfADeclarationStandsRightAboveIt) {
  const Parsed p("/// Of the file.\n\n/// First line\n/// and second.\nschema s {\n"
                 "  /// Of a field.\n  x: Count = 1\n  /// Of a choice.\n  choice a | b\n"
                 "  y: Count /// not this\n}\n");
  ASSERT_THAT(p.codes(), IsEmpty());
  const auto& s = llvm::cast<ast::SchemaDecl>(*p.result.file->declarations[0]);
  EXPECT_EQ(s.doc, "First line\nand second.");
  EXPECT_EQ(s.fields[0].doc, "Of a field.");
  EXPECT_EQ(s.fields[1].doc, "");
  ASSERT_EQ(s.choices.size(), 2U);
  EXPECT_EQ(s.choices[1].doc, "Of a choice.");
}

TEST(Parse, LinesGoOn) {
  const Parsed p("search layout l for m\n    on c {\n  x = 1 +\n    2\n  y = f(\n1\n,\n2\n)\n"
                 "  z = if a then 1\n    else 2\n  w = l.in\n  v = 3\n}\n");
  ASSERT_THAT(p.codes(), IsEmpty());
  const auto& l = llvm::cast<ast::BlockDecl>(*p.result.file->declarations[0]);
  EXPECT_TRUE(l.search);
  EXPECT_EQ(l.onWhere[0].text, "c");
  EXPECT_EQ(l.block->statements.size(), 5U);
}

TEST(Parse, ASchemaHasFieldsChoicesAndStatements) {
  const Parsed p(R"(schema s from t for model or run on cluster {
  a: Bytes per gpu?
  b: [Count] = [1, 2]
  c: node_pool[String]
  d: link { bandwidth = 1 }
  e = 5
  let f = a * 2
  assert f > 1, "why"
  choice g | h { i: Count = 1, j: Real }
}
)");
  ASSERT_THAT(p.codes(), IsEmpty());
  const auto& s = llvm::cast<ast::SchemaDecl>(*p.result.file->declarations[0]);
  ASSERT_EQ(s.forKinds.size(), 2U);
  EXPECT_EQ(s.forKinds[0].text, "model");
  EXPECT_EQ(s.forKinds[1].text, "run");
  EXPECT_EQ(s.onKind.text, "cluster");
  ASSERT_EQ(s.fields.size(), 4U);
  EXPECT_TRUE(s.fields[0].type.optional);
  EXPECT_EQ(s.fields[0].type.scope.text, "gpu");
  EXPECT_EQ(s.fields[1].type.form, ast::TypeExpr::TypeForm::List);
  EXPECT_EQ(s.fields[2].type.form, ast::TypeExpr::TypeForm::Map);
  EXPECT_NE(s.fields[3].block, nullptr);
  EXPECT_EQ(s.statements.size(), 3U);
  ASSERT_EQ(s.choices.size(), 2U);
  EXPECT_TRUE(s.choices[0].fields.empty());
  EXPECT_EQ(s.choices[1].fields.size(), 2U);
}

TEST(Parse, ASettingIsOneField) {
  SourceManager sources;
  DiagnosticEngine diags;
  Arena arena;
  const std::uint32_t good = sources.add("--set", "layout.mesh.tensor=4");
  const ast::FieldStmt* field = parseSetting(sources, good, arena, diags);
  ASSERT_NE(field, nullptr);
  EXPECT_EQ(field->path.size(), 3U);
  for (const char* bad : {"", "a", "a=", "a=1 2", "a=1\nb=2", "=", "a=(", "}"})
    EXPECT_EQ(parseSetting(sources, sources.add("--set", bad), arena, diags), nullptr) << bad;
  diags.endPhase();
  EXPECT_EQ(diags.errors() + diags.heldBack(), 8U);
}

TEST(Parse, NumbersAreExact) {
  const Parsed p("k b { x = 3.35TB/s }\n");
  ASSERT_THAT(p.codes(), IsEmpty());
  const auto& n = llvm::cast<ast::NumberExpr>(valueOf(p)).number;
  EXPECT_TRUE(n.value == Rational(3'350'000'000'000));
}

} // namespace
