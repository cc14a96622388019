//===- SchemaUseTest.cpp - No field is declared that nobody shows how to use ------------------===//
#include "SchemaUse.h"
#include "support/FileIo.h"
#include "tests/SourceFolder.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>

using namespace dpl;

namespace {
/// The texts of the files below a folder with that extension, in the order of their paths.
std::vector<std::string> textsBelow(const char* folder, const char* extension) {
  std::vector<std::string> paths, texts;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(test::sourceFolder() / folder))
    if (entry.path().extension() == extension)
      paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  for (const std::string& path : paths)
    texts.push_back(readFile(path).text);
  return texts;
}

bool ofWord(char c) { return llvm::isAlnum(c) || c == '_'; }

/// Whether a source has the word, followed by one of the endings.
bool hasWord(llvm::StringRef text, llvm::StringRef word,
             std::initializer_list<llvm::StringRef> endings) {
  for (std::size_t at = text.find(word); at != llvm::StringRef::npos;
       at = text.find(word, at + 1)) {
    const llvm::StringRef after = text.drop_front(at + word.size());
    if ((at == 0 || !ofWord(text[at - 1])) && (after.empty() || !ofWord(after.front())) &&
        std::any_of(endings.begin(), endings.end(),
                    [&](llvm::StringRef end) { return after.startswith(end); }))
      return true;
  }
  return false;
}

/// Whether the sources of the importers write a field. They hold `name = ` in a text, or the name
/// as a string; of a field of a choice, also the name of the choice.
bool imported(const std::string& sources, llvm::StringRef field) {
  const auto [owner, name] = field.rsplit('.');
  const llvm::StringRef choice = owner.split('.').second;
  return hasWord(sources, name, {" = ", " {{", "\""}) &&
         (choice.empty() || hasWord(sources, choice, {""}));
}
} // namespace

TEST(SchemaUse, EachFieldIsSetByAnExampleALibraryEntryOrAnImport) {
  test::SchemaUse use; // reads the library
  unsigned file = 0;
  for (std::string& text : textsBelow("examples", ".dpl"))
    use.read(std::to_string(++file) + ".dpl", std::move(text));
  std::string importers;
  for (const std::string& text : textsBelow("frontend/import", ".cpp"))
    importers += text;
  std::string unused;
  for (const std::string& field : use.declared())
    if (use.used().count(field) == 0 && !imported(importers, field))
      unused += field + "\n";
  EXPECT_EQ(unused, "") << "a field that no example, library entry or importer sets gets an "
                           "example in examples/, or goes";
}

TEST(SchemaUse, AFieldCountsForTheChoiceThatIsWritten) {
  test::SchemaUse use;
  const std::size_t before = use.used().size();
  use.read("one.dpl", "layout a for m on c {\n"
                      "  compression = low_rank { throughput = 1GB/s }\n"
                      "  compression.error_feedback = true\n"
                      "  no_field = 1\n}\n");
  EXPECT_EQ(use.used().count("compression.low_rank.throughput"), 1U);
  EXPECT_EQ(use.used().count("compression.top_k.throughput"), 0U);
  EXPECT_EQ(use.used().count("compression.low_rank.error_feedback"), 0U) << "of which choice?";
  EXPECT_EQ(use.used().size(), before + 2) << "and the field itself";
}
