//===- MessageFramesTest.cpp - Messages in a stream of bytes ----------------------------------===//
#include "support/MessageFrames.h"
#include <gtest/gtest.h>
#include <vector>
using namespace dpl;

namespace {
/// The messages of a stream that comes in pieces of `piece` bytes; a mistake is "!".
std::vector<std::string> messagesOf(const std::string& stream, Framing framing, std::size_t piece,
                                    std::size_t most = 100) {
  FrameReader reader(framing, most);
  std::vector<std::string> out;
  for (std::size_t at = 0; at < stream.size(); at += piece) {
    reader.append(llvm::StringRef(stream).substr(at, piece));
    while (const auto frame = reader.next())
      out.push_back(frame->mistake.empty() ? frame->text : "!");
  }
  return out;
}
using Messages = std::vector<std::string>;
constexpr std::size_t pieces[] = {1, 2, 3, 7, 1000};
} // namespace

TEST(MessageFrames, WithHeaders_MessagesAreThoseThatWereFramed) {
  const std::string stream = framed("{}", Framing::Headers) + framed("", Framing::Headers) +
                             "content-length:3\r\nContent-Type: x\r\n\r\n\r\n\r" +
                             framed("last", Framing::Headers);
  for (const std::size_t piece : pieces)
    EXPECT_EQ(messagesOf(stream, Framing::Headers, piece), (Messages{"{}", "", "\r\n\r", "last"}));
}

TEST(MessageFrames, WithHeaders_WhatIsNoMessageIsOneMistake) {
  const std::string next = framed("next", Framing::Headers);
  for (const std::size_t piece : pieces) {
    EXPECT_EQ(messagesOf("Length: 3\r\n\r\n" + next, Framing::Headers, piece),
              (Messages{"!", "next"}));
    EXPECT_EQ(messagesOf("Content-Length: 101\r\n\r\n" + std::string(101, 'x') + next,
                         Framing::Headers, piece),
              (Messages{"!", "next"}));
  }
  EXPECT_EQ(messagesOf(std::string(4097, 'x') + next, Framing::Headers, 4097),
            (Messages{"!", "next"}));
}

TEST(MessageFrames, WithHeaders_LinesMayEndInLineFeedsAlone) {
  const std::string stream = "Content-Length: 2\n\n{}\n\nContent-Type: x\nContent-Length: 4\n\r\n"
                             "last\n";
  for (const std::size_t piece : pieces)
    EXPECT_EQ(messagesOf(stream, Framing::Headers, piece), (Messages{"{}", "last"}));
}

TEST(MessageFrames, WhatIsLeftAtTheEndIsAMistakeOrTheLastLine) {
  const auto left = [](llvm::StringRef stream, Framing framing) -> std::string {
    FrameReader reader(framing, 100);
    reader.append(stream);
    while (reader.next()) {
    }
    const auto frame = reader.rest();
    return !frame ? "nothing" : frame->mistake.empty() ? frame->text : frame->mistake;
  };
  EXPECT_EQ(left("Content-Length: 2\n\n{}\n", Framing::Headers), "nothing");
  EXPECT_EQ(left("Content-Length: 5\n\n{}\n", Framing::Headers),
            "the input ends within a message: `Content-Length` is 5, found 3 bytes");
  EXPECT_EQ(left("Content-Length: 500\n\n{}", Framing::Headers),
            "the input ends 498 bytes before the end of its last message");
  EXPECT_EQ(left("{}\n", Framing::Headers),
            "the input ends without a message: each begins with `Content-Length: BYTES` and an "
            "empty line");
  EXPECT_EQ(left("{}\nlast", Framing::Lines), "last");
  EXPECT_EQ(left("{}\n", Framing::Lines), "nothing");
}

TEST(MessageFrames, Lines_AreMessages) {
  const std::string stream = "{}\r\n\n  \n" + std::string(150, 'x') + "\nlast\nopen";
  for (const std::size_t piece : pieces)
    EXPECT_EQ(messagesOf(stream, Framing::Lines, piece), (Messages{"{}", "!", "last"}));
  EXPECT_EQ(framed("{}", Framing::Lines), "{}\n");
}
