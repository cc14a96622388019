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

TEST(MessageFrames, Lines_AreMessages) {
  const std::string stream = "{}\r\n\n  \n" + std::string(150, 'x') + "\nlast\nopen";
  for (const std::size_t piece : pieces)
    EXPECT_EQ(messagesOf(stream, Framing::Lines, piece), (Messages{"{}", "!", "last"}));
  EXPECT_EQ(framed("{}", Framing::Lines), "{}\n");
}
