//===- ScorePageTest.cpp - When `score` writes its page ---------------------------------------===//
#include "tests/golden/Runner.h"
#include <gtest/gtest.h>
using namespace dpl::test;

TEST(ScorePage, OfNoRow_IsNotWritten) {
  const TemporaryFolder folder;
  const std::string table = (sourceFolder() / "tests/accuracy/published_layouts.csv").string();
  const fs::path page = folder.path / "page.html";
  for (const char* where : {"family=nobody", "nothing=1"}) {
    const Outcome done = dplc({"score", table, "--where", where, "--html", page.string()});
    EXPECT_EQ(done.exitCode, 2) << where;
    EXPECT_NE(done.error.find("--where: no row has"), std::string::npos) << done.error;
    EXPECT_FALSE(fs::exists(page)) << where;
    EXPECT_EQ(done.out, "");
  }
}
