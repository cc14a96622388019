//===- ReferencePagesTest.cpp - The generated pages of docs/reference say what the library has ===//
//
// DPL_UPDATE=1 writes the pages anew.
#include "frontend/Frontend.h"
#include "frontend/LibrarySchemas.h"
#include "support/FileIo.h"
#include "tests/SourceFolder.h"
#include "llvm/ADT/StringExtras.h"
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>

using namespace dpl;

namespace {
/// Compares a page with what it should be, or writes it.
void expectPage(const char* name, const std::string& wanted) {
  const std::string path = (test::sourceFolder() / "docs/reference" / name).string();
  if (std::getenv("DPL_UPDATE")) {
    std::ofstream(path, std::ios::binary) << wanted;
    return;
  }
  EXPECT_TRUE(readFile(path).text == wanted)
      << name << " is not what the sources say; DPL_UPDATE=1 writes it anew";
}

std::string code(const std::string& text) { return text.empty() ? "" : "`" + text + "`"; }

/// A default that is worked out from other fields would be wider than the page.
std::string defaultOf(const LibraryField& field) {
  constexpr std::size_t widest = 60;
  return field.value.size() > widest ? "computed"
         : !field.value.empty()      ? code(field.value)
         : field.optional            ? ""
                                     : "required";
}

std::string sectionOf(const LibrarySchema& schema) {
  std::string out = fmt::format("\n## {}\n\n{}\n", schema.name, schema.sentence);
  if (!schema.base.empty())
    out += fmt::format("It also has the fields of [{0}](#{0}).\n", schema.base);
  if (!schema.choices.empty()) {
    out += "\n| choice | meaning |\n|---|---|\n";
    for (const LibraryChoice& choice : schema.choices)
      out += fmt::format("| `{}` | {} |\n", choice.name, choice.sentence);
  }
  if (!schema.fields.empty()) {
    out += "\n| field | type | unit | default | meaning |\n|---|---|---|---|---|\n";
    for (const LibraryField& field : schema.fields)
      out += fmt::format("| `{}{}` | `{}` | {} | {} | {} |\n",
                         field.choice.empty() ? "" : field.choice + ".", field.name, field.type,
                         field.units, defaultOf(field), field.sentence);
  }
  return out;
}

constexpr const char* blocks = R"(# Blocks and their fields

This page is generated from the schemas in `stdlib/prelude.dpl`; `dplc explain NAME` prints the same for one field or
schema. The type of a field is often the name of another schema of this page. A type that ends in `?` may be left out; the
meaning of the field says what holds then. The column *unit* has the usual units of a type, and `dplc explain units` lists
all of them. A field `CHOICE.FIELD` belongs to one choice: `recompute = full { layers = 2 }` sets `full.layers`.
)";

constexpr const char* entries = R"(# Entries of the library

This page is generated from `stdlib/`. [library.md](library.md) says how its numbers are sourced, and `dplc show std.clusters.dgx_h100`
prints one entry with all of them. The column *from* has the entry that an entry amends.
)";
} // namespace

TEST(ReferencePages, Blocks_HaveEveryField) {
  std::string page = blocks;
  for (const LibrarySchema& schema : librarySchemas())
    page += sectionOf(schema);
  expectPage("blocks.md", page);
}

TEST(ReferencePages, LibraryEntries_HaveEveryBlock) {
  std::string page = entries;
  for (const std::string& module : libraryModules()) {
    if (module == "prelude")
      continue;
    page += fmt::format("\n## std.{}\n\n| entry | kind | from | what it is |\n|---|---|---|---|\n",
                        module);
    for (const LibraryBlock& block : libraryBlocks(module))
      page += fmt::format("| `{}.{}` | {} | {} | {} |\n", module, block.name, block.kind,
                          code(block.base), block.sentence);
  }
  expectPage("library-entries.md", page);
}

/// A sentence begins with a capital letter, a digit or code, and ends with a full stop. The first
/// has at most 25 words.
TEST(ReferencePages, EachSchemaChoiceAndFieldHasASentence) {
  const auto check = [](const std::string& name, llvm::StringRef sentence) {
    constexpr std::size_t mostWords = 25;
    ASSERT_FALSE(sentence.empty()) << name << " has no `///` sentence";
    const char first = sentence.front();
    EXPECT_TRUE(llvm::isDigit(first) || (first >= 'A' && first <= 'Z') || first == '`' ||
                sentence.startswith("torchtitan") || sentence.startswith("nanotron") ||
                sentence.startswith("torchrun") || sentence.startswith("mpirun") ||
                sentence.startswith("bfloat16") || sentence.startswith("x "))
        << name << ": " << sentence.str();
    EXPECT_TRUE(sentence.endswith(".")) << name << ": " << sentence.str();
    llvm::SmallVector<llvm::StringRef, 32> words;
    llvm::SplitString(sentence.take_front(sentence.find(". ")), words);
    EXPECT_LE(words.size(), mostWords) << name << ": " << sentence.str();
  };
  for (const LibrarySchema& schema : librarySchemas()) {
    check(schema.name, schema.sentence);
    for (const LibraryChoice& choice : schema.choices)
      check(schema.name + "." + choice.name, choice.sentence);
    for (const LibraryField& field : schema.fields)
      check(schema.name + "." + (field.choice.empty() ? "" : field.choice + ".") + field.name,
            field.sentence);
  }
}
