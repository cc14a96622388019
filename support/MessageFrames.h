#pragma once
//===- MessageFrames.h - Messages in a stream of bytes ----------------------------------------===//
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>

namespace dpl {

/// How messages are separated in a stream.
enum class Framing : std::uint8_t {
  Headers, ///< "Content-Length: 42\r\n\r\n" before each message, as in the Language Server
           ///< Protocol; lines that end in "\n" are read too
  Lines,   ///< one message per line, as in the Model Context Protocol
};

/// The largest message that is read.
constexpr std::size_t largestMessage = std::size_t{64} << 20;

/// The message with what separates it from the next one. With Framing::Lines it has no line break.
std::string framed(llvm::StringRef message, Framing framing);

/// Cuts a stream into messages. After bytes that are not a message it continues at the next
/// possible one. It takes time proportional to the number of bytes.
class FrameReader {
public:
  /// A message with more than `most` bytes is a mistake.
  explicit FrameReader(Framing framing, std::size_t most = largestMessage)
      : framing(framing), most(most) {}
  void append(llvm::StringRef bytes);

  struct Frame {
    std::string text;
    std::string mistake; ///< why bytes are not a message; empty for a message
  };
  /// The next message or mistake; empty if more bytes are needed.
  std::optional<Frame> next();
  /// At the end of the stream: a last line without its line break, or the mistake that a message is
  /// incomplete. Empty if the stream ended after a message.
  std::optional<Frame> rest();

private:
  std::optional<Frame> nextLine();
  std::optional<Frame> nextWithHeaders();
  Frame tooLong() const;
  std::optional<Frame> dropped(std::size_t bytes, std::string mistake);

  Framing framing;
  std::size_t most;
  std::string buffer;
  std::size_t at = 0;      ///< first byte of `buffer` that is not consumed
  std::size_t scanned = 0; ///< bytes before this one do not end a line or the headers
  std::size_t skip = 0;    ///< bytes of a message that is too large, which are still to come
  bool skipLine = false;   ///< the rest of a line that is too long is dropped
};

} // namespace dpl
