#include "ParseTesting.h"
#include "frontend/Frontend.h"
#include "frontend/ast/Encoding.h"
#include "frontend/ast/StandardLibrary.h"
#include <gtest/gtest.h>
using namespace dpl;
using dpl::test::Parsed;

namespace {

struct LibraryTest : ::testing::Test {
  SourceManager sources;
  Arena arena;
  StandardLibrary library{embeddedLibrary(), sources, arena};
};

TEST_F(LibraryTest, EveryDeclarationIsReadAsItIsParsed) {
  unsigned seen = 0;
  for (llvm::StringRef module : library.modules()) {
    Parsed parsed(library.text(module).str());
    ASSERT_FALSE(parsed.result.failed) << module.str();
    const llvm::StringRef text = parsed.sources.text(parsed.id);
    for (const ast::Decl* d : parsed.result.file->declarations) {
      if (llvm::isa<ast::ImportDecl>(d))
        continue;
      const std::string bytes = encode(*d, text);
      const LibraryEntry& entry = library.entries(module)[seen++];
      const ast::Decl* loaded = library.find(module, entry.name);
      ASSERT_NE(loaded, nullptr) << entry.name.str();
      EXPECT_EQ(loaded->kind, entry.kind);
      EXPECT_EQ(bytes, encode(*loaded, library.text(module))) << entry.name.str();
      EXPECT_EQ(sources.text(loaded->range), text.slice(d->range.begin, d->range.end));
      EXPECT_EQ(loaded->doc, d->doc);
    }
    EXPECT_EQ(seen, library.entries(module).size());
    seen = 0;
  }
}

TEST_F(LibraryTest, ADeclarationIsLoadedOnce) {
  const ast::Decl* first = library.find("prelude", "layout");
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first, library.find("prelude", "layout"));
  EXPECT_EQ(library.moduleOf(first->range.file), "prelude");
  EXPECT_EQ(library.moduleOf(0), "");
}

TEST_F(LibraryTest, WhatIsNotThereIsNull) {
  EXPECT_EQ(library.find("prelude", "no_such_schema"), nullptr);
  EXPECT_EQ(library.find("no_such_module", "layout"), nullptr);
  EXPECT_TRUE(library.entries("no_such_module").empty());
  EXPECT_TRUE(library.imports("no_such_module").empty());
  EXPECT_FALSE(library.hasModule("no_such_module"));
}

TEST_F(LibraryTest, NoFileIsRegisteredBeforeItIsNeeded) {
  EXPECT_EQ(sources.files(), 0U);
  (void)library.entries("prelude");
  EXPECT_EQ(sources.files(), 0U);
  (void)library.find("prelude", "mesh");
  EXPECT_EQ(sources.files(), 1U);
  EXPECT_EQ(sources.name(1), "std.prelude");
}

TEST(LibraryText, ShowsADeclarationWithItsComment) {
  const std::string shown = showLibrary("std.prelude.spine");
  EXPECT_NE(shown.find("schema spine {"), std::string::npos) << shown;
  const std::string mesh = showLibrary("prelude.mesh");
  EXPECT_EQ(mesh.rfind("/// The parallel axes", 0), 0U) << mesh;
  EXPECT_EQ(mesh.back(), '}');
  EXPECT_EQ(showLibrary("std.prelude.nothing"), "");
  EXPECT_EQ(showLibrary("std.prelude"), libraryText("prelude").str());
}

} // namespace
