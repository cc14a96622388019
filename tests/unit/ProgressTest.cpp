//===- ProgressTest.cpp - The line about a long command ---------------------------------------===//
#include "support/Progress.h"
#include <array>
#include <cstdlib>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>
using namespace dpl;

namespace {
/// The two ends of a terminal.
struct Terminal {
  Terminal() {
    ::grantpt(reader), ::unlockpt(reader);
    writer = ::open(::ptsname(reader), O_RDWR | O_NOCTTY);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal() { ::close(reader), ::close(writer); }
  std::string text() const {
    std::array<char, 256> buffer{};
    const ssize_t n = ::read(reader, buffer.data(), buffer.size());
    return std::string(buffer.data(), n > 0 ? static_cast<std::size_t>(n) : 0);
  }
  int reader = ::posix_openpt(O_RDWR | O_NOCTTY), writer = -1;
};
} // namespace

TEST(Progress, Line_HasTheTimeThatIsLeftIfTheNumberOfUnitsIsKnown) {
  EXPECT_EQ(Progress::line("dplc check", 2.4, 0, 0, nullptr), "dplc check: 2 s");
  EXPECT_EQ(Progress::line("dplc score", 3, 120, 0, "rows"), "dplc score: 3 s, 120 rows");
  EXPECT_EQ(Progress::line("dplc study", 10, 40, 100, "points"),
            "dplc study: 10 s, 40 of 100 points, 15 s left");
  EXPECT_EQ(Progress::line("dplc study", 10, 0, 100, "points"),
            "dplc study: 10 s, 0 of 100 points");
}

TEST(Progress, ALine_IsErasedAtTheEnd) {
  const Terminal terminal;
  ASSERT_GE(terminal.writer, 0);
  Progress progress;
  progress.set(2, 4, "points");
  progress.begin(terminal.writer, "dplc study", Progress::Milliseconds(0));
  EXPECT_EQ(terminal.text(), "\rdplc study: 0 s, 2 of 4 points, 0 s left");
  progress.end();
  EXPECT_EQ(terminal.text(), "\r" + std::string(40, ' ') + "\r");
}

TEST(Progress, AFastCommand_WritesNothing) {
  const Terminal terminal;
  Progress progress;
  progress.begin(terminal.writer, "dplc check");
  progress.end();
  ASSERT_EQ(::write(terminal.writer, "x", 1), 1);
  EXPECT_EQ(terminal.text(), "x");
}

TEST(Progress, AFileOrPipe_GetsNoLine) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  Progress progress;
  progress.begin(ends[1], "dplc check", Progress::Milliseconds(0));
  progress.end();
  ::close(ends[1]);
  char byte = 0;
  EXPECT_EQ(::read(ends[0], &byte, 1), 0);
  ::close(ends[0]);
}
