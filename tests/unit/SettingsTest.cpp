//===- SettingsTest.cpp - Files of settings: the same values from each way of writing ---------===//
#include "frontend/import/Degrees.h"
#include "frontend/import/Misspelt.h"
#include "frontend/import/settings/Python.h"
#include "frontend/import/settings/SettingsReader.h"
#include <gtest/gtest.h>
using namespace dpl;
using namespace dpl::imports;
using namespace dpl::imports::settings;

namespace {

using Reader = FailureOr<SettingValue> (*)(const SourceManager&, std::uint32_t, DiagnosticEngine&);

/// The value as one line: `{a: 1, b: [x, true, null]}`.
std::string shown(const SettingValue& value) {
  std::string out = value.text;
  if (value.kind == SettingValue::SettingKind::Null)
    return "null";
  if (value.kind != SettingValue::SettingKind::List &&
      value.kind != SettingValue::SettingKind::Table && value.entries.empty())
    return out;
  out += value.kind == SettingValue::SettingKind::Table  ? "{"
         : value.kind == SettingValue::SettingKind::List ? "["
                                                         : "(";
  for (const SettingEntry& entry : value.entries)
    out += (&entry == &value.entries.front() ? "" : ", ") +
           (entry.key.empty() ? "" : entry.key + ": ") + shown(entry.value);
  return out + (value.kind == SettingValue::SettingKind::Table  ? "}"
                : value.kind == SettingValue::SettingKind::List ? "]"
                                                                : ")");
}

std::string read(Reader reader, const std::string& text) {
  SourceManager sources;
  DiagnosticEngine diags;
  const FailureOr<SettingValue> value = reader(sources, sources.add("file", text), diags);
  if (!value.failed())
    return shown(*value);
  EXPECT_EQ(diags.errors(), 1U);
  return "error: " + diags.diagnostics().front().message;
}

std::string returned(const std::string& text) {
  SourceManager sources;
  DiagnosticEngine diags;
  PythonModule module(sources, sources.add("file.py", text), diags);
  if (module.read().failed())
    return "error: " + diags.diagnostics().front().message;
  const FailureOr<SettingValue> value = module.returned("f");
  return value.failed() ? "error: " + diags.diagnostics().front().message : shown(*value);
}

std::string repeated(const std::string& text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i)
    out += text;
  return out;
}

} // namespace

TEST(Settings, EachWayOfWriting_HasTheSameValues) {
  const std::string all = "{a: {b: 10000, c: [x, true]}, d: 1.5}";
  EXPECT_EQ(read(readToml, "d = 1.5\n[a]\nb = 10_000 # more\nc = [\"x\", true]\n"), all);
  EXPECT_EQ(read(readYaml, "a: {b: 10_000, c: [x, yes]} # more\nd: 1.5\n"), all);
  EXPECT_EQ(read(readJson, "{\"a\": {\"b\": 10000, \"c\": [\"x\", true]}, \"d\": 1.5}"), all);
  EXPECT_EQ(
      returned(
          "def f():\n    c = ['x', True]\n    return {'a': {'b': 10_000, 'c': c}, 'd': 1.5}\n"),
      all);
}

TEST(Settings, LettersOfTomlThatAreNotAscii_AreNoSpace) {
  for (const char* letter : {"\xC4\x8B", "\xC3\xA9", "\xE1\x80\x80"})
    EXPECT_EQ(read(readToml, std::string("ERY") + letter + " = 6\n").rfind("error: ", 0), 0U);
  EXPECT_EQ(read(readToml, "a = \"\xC4\x8B\" # \xC3\xA9\n"), "{a: \xC4\x8B}");
}

TEST(Settings, ABracketTooMuchOfToml_IsAnError) {
  EXPECT_EQ(read(readToml, "[[[a]\nb = 1\n").rfind("error: ", 0), 0U);
}

TEST(Settings, OfPython_OnlyDataIsRead) {
  EXPECT_EQ(returned("def f():\n    return A.B(C(1, x=-2), y=2 * 3 + 4, z=(1,), w=(5))\n"),
            "A.B(C(1, x: -2), y: 10, z: [1], w: 5)");
  EXPECT_EQ(
      returned("def f():\n    a = C(b=D(e=1))\n    a.b.e = 2\n    return [a.b.e, a.q, not a]\n"),
      "[2, a.q, not a]");
  EXPECT_EQ(returned("def g():\n    return C(a=1)\ndef f():\n    c = g()\n    c.b = 'x' \"y\"\n    "
                     "return c\n"),
            "C(a: 1, b: xy)");
  EXPECT_EQ(returned("def f():\n    return [x for x in y if x], f'{x}', lambda q: q, a == b\n"),
            "[x for x in y if x], f'{x}', lambda q: q, a == b");
  for (const char* statement :
       {"for x in y: pass", "x += 1", "import os; os.system('x')\n    run()",
        "if x:\n        return 1", "x[0] = 1", "with a: pass"})
    EXPECT_EQ(returned(std::string("def f():\n    ") + statement + "\n    return 1\n"),
              "error: a statement that has to be run: the file is read as data")
        << statement;
}

TEST(Settings, WhatIsTooMuch_IsOneError) {
  EXPECT_EQ(read(readJson, repeated("[", 1000)),
            "error: this is not JSON: it has too many values, or is nested too deeply");
  EXPECT_EQ(
      read(readYaml, repeated("[", 1000)),
      "error: this is not a file of settings: it has too many values, or is nested too deeply");
  EXPECT_EQ(read(readToml, "a" + repeated(".a", 3000) + " = 1\n"),
            "error: this is not a TOML file of settings: it has more than 2000 points");
  EXPECT_NE(read(readToml, "a = " + repeated("[", 1000)).find("error: this is not TOML"),
            std::string::npos);
  EXPECT_EQ(read(readYaml, "a: &a [1]\nb: *a\n"),
            "error: this is not a file of settings: it has an alias");
  EXPECT_NE(read(readJson, repeated(" ", (1 << 20) + 1)).find("error: `file` has 1048577 bytes"),
            std::string::npos);
  std::string doubling = "def f():\n    a0 = [1]\n";
  for (int i = 0; i < 60; ++i)
    doubling += "    a" + std::to_string(i + 1) + " = [a" + std::to_string(i) + ", a" +
                std::to_string(i) + "]\n";
  EXPECT_EQ(returned(doubling + "    return a60\n"),
            "error: this is not Python: it has too many values");
  EXPECT_EQ(returned("def f():\n    return C(f())\n"),
            "error: `f` calls itself, or calls are nested too deeply");
}

TEST(Settings, PlacesAreThoseOfTheFile) {
  SourceManager sources;
  DiagnosticEngine diags;
  const std::uint32_t file = sources.add("file", "# é\na:\n  'b c': [é, 12]\n");
  const FailureOr<SettingValue> value = readYaml(sources, file, diags);
  ASSERT_FALSE(value.failed());
  const SettingValue* list = value->find("a")->find("b c");
  ASSERT_NE(list, nullptr);
  EXPECT_EQ(sources.at(file, list->at.begin).line, 3U);
  const SourceRange number = list->entries[1].value.at;
  EXPECT_EQ(sources.text(file).slice(number.begin, number.end), "12");
}

TEST(Settings, WhatIsNotInTheFile_IsToldByItsName) {
  SourceManager sources;
  DiagnosticEngine diags;
  const SettingsReader::Defines none;
  SettingsReader settings({}, sources.add("file", "\n"), none, diags);
  settings.unsupportedByDefault("mode", "a plan says another");
  ASSERT_EQ(diags.errors(), 1U);
  EXPECT_EQ(diags.diagnostics().front().message, "DPL does not support `mode`");
  EXPECT_EQ(diags.diagnostics().front().help, "a plan says another");
}

TEST(Misspelt, NamesOfTheSameTableComeFirst) {
  const std::vector<std::string> known{"a.batch_size", "b.batch_size", "b.tensor_degree", "b.on"};
  using Names = std::vector<std::string>;
  EXPECT_EQ(misspelt("b.batch_siez", known), (Names{"b.batch_size"}));
  EXPECT_EQ(misspelt("c.batch_siz", known), (Names{"a.batch_size", "b.batch_size"}));
  EXPECT_EQ(misspelt("b.tensr_degre", known), (Names{"b.tensor_degree"}));
  EXPECT_EQ(misspelt("b.tensr_degr", known), (Names{"b.tensor_degree"}));
  EXPECT_EQ(misspelt("b.tensr_degs", known), Names()); // four letters
  EXPECT_EQ(misspelt("b.of", known), (Names{"b.on"}));
  EXPECT_EQ(misspelt("c.batch_size", known), Names()); // the name itself
  EXPECT_EQ(misspelt("c.Batch_Size", known), (Names{"a.batch_size", "b.batch_size"}));
  EXPECT_EQ(misspelt("global-batch", {"--global-batch-size"}), Names{"--global-batch-size"});
  EXPECT_EQ(misspelt("batch", {"--global-batch-size"}), Names());
  EXPECT_EQ(meantSize("c.batch_size", known), "did you mean `a.batch_size` or `b.batch_size`?");
  EXPECT_EQ(meantSize("b.tensor_rank_degree", known), "did you mean `b.tensor_degree`?");
  EXPECT_EQ(meantSize("b.pipeline_degree", known), "");
}

TEST(Degrees, TheOneThatDoesNotDivideIsNamed) {
  const auto all = [](const char*) { return true; };
  EXPECT_STREQ(undivided(32, {{"a", 2}, {"b", 3}}, all), "b");
  EXPECT_STREQ(undivided(32, {{"a", 8}, {"b", 16}}, all), "b");
  const auto last = [](const char* name) { return llvm::StringRef(name) == "c"; };
  EXPECT_STREQ(undivided(32, {{"a", 3}, {"b", 32}, {"c", 2}}, last), "c");
  EXPECT_STREQ(undivided(32, {{"a", 3}, {"b", 32}}, last), "a");
}

namespace {
const WordTable without("log");
const DefaultTable defaults{
    {"1e3", "a.size"}, {"fast", "a.mode"}, {"[x, y]", "a.parts"}, {"true", "a.on"}};
constexpr Difference different[] = {{"a.early", "the step comes early"}};
const IgnorableSettings neutral{without, defaults, different};

/// The result of `rest` for a TOML file: lines of comment, then the errors.
std::string restOf(const std::string& text, const std::vector<std::string>& ignore = {},
                   const std::pair<std::string, std::string>& renamed = {}) {
  SourceManager sources;
  DiagnosticEngine diags;
  const std::uint32_t file = sources.add("file", text);
  FailureOr<SettingValue> root = readToml(sources, file, diags);
  EXPECT_FALSE(root.failed());
  const SettingsReader::Defines none;
  SettingsReader settings(std::move(*root), file, none, diags);
  settings.ignore(ignore);
  if (!renamed.first.empty())
    (void)settings.rename(renamed.first, renamed.second);
  std::string out = settings.rest(neutral);
  for (const Diagnostic& d : diags.diagnostics())
    out += std::string("\n") + d.info.code + ": " + d.message;
  return out;
}
} // namespace

TEST(Settings, ThatAreOffOrAtTheirDefault_StopNothing) {
  EXPECT_EQ(restOf("[a]\nsize = 1000\nmode = \"fast\"\nparts = [\"x\", \"y\"]\non = true\n"),
            "\n/// Not part of a plan: a.mode, a.on, a.parts, a.size.");
  EXPECT_EQ(restOf("[fork]\na = false\nb = \"none\"\nc = []\nd_degree = 1\n[log]\nlevel = 3\n"),
            "\n/// Not part of a plan: fork.a, fork.b, fork.c, fork.d_degree, log.level.");
  EXPECT_EQ(restOf("[fork]\nenable = false\nwidth = 7\n[other]\ndevice = \"none\"\nbytes = 9\n"),
            "\n/// Not part of a plan: fork.enable, fork.width, other.bytes, other.device.");
}

TEST(Settings, ThatNameDataOrAPlace_StopNothing) {
  EXPECT_EQ(restOf("[fork]\ndataset_type = \"x\"\nlog_every = 3\ncache_dir = \"y\"\n"),
            "\n/// Not part of a plan: fork.cache_dir, fork.dataset_type, fork.log_every.");
}

TEST(Settings, ThatMayChangeThePlan_Stop) {
  EXPECT_EQ(restOf("[a]\non = false\nsize = 999\n[fork]\nwidth = 0\n"),
            "\nDPL0813: DPL does not support `a.on`\nDPL0813: DPL does not support "
            "`a.size`\nDPL0813: DPL "
            "does not support `fork.width`");
  EXPECT_EQ(restOf("[a]\nearly = true\n"), "\n/// `a.early = true`: the step comes early.");
  EXPECT_EQ(restOf("[fork]\nx_batch_size = 2\n"),
            "\nDPL0822: `fork.x_batch_size = 2` sets a size of the run, but the import does not "
            "support it, and it cannot be ignored");
}

TEST(Settings, ThatAreIgnored_AreTakenOut_ButNoSizes) {
  EXPECT_EQ(restOf("[a]\nsize = 7\n[b]\nx = 1\n[c]\nx = 2\n", {"a", "*.x"}),
            "\n/// Ignored, though it may change the plan: a, *.x.");
  EXPECT_EQ(restOf("[a]\nseq_len = 7\nmode = \"fast\"\n", {"a.seq_len"}),
            "\n/// Not part of a plan: a.mode.\nDPL0821: `--ignore=a.seq_len` names a degree, a "
            "batch or a length, without which the plan would describe another run\nDPL0822: "
            "`a.seq_len = 7` sets a size of the run, but the import does not support it, and it "
            "cannot be "
            "ignored");
  EXPECT_EQ(restOf("", {"a.mode"}),
            "\nDPL0700: `--ignore=a.mode`: the file does not have this setting");
}

TEST(Settings, ThatAreRenamed_KeepTheirNameInMessages) {
  EXPECT_EQ(restOf("[old]\nname = 7\n", {}, {"old.name", "a.size"}),
            "\nDPL0813: DPL does not support `old.name`");
}
