//===- MessageFrames.cpp - Messages in a stream of bytes --------------------------------------===//
#include "support/MessageFrames.h"
#include <algorithm>
#include <fmt/format.h>
using namespace dpl;

namespace {
/// Headers are longer than this only if they are no headers.
constexpr std::size_t longestHeaders = 4096;

/// The number after `Content-Length:`; empty if no line has it.
std::optional<std::uint64_t> lengthIn(llvm::StringRef headers) {
  while (!headers.empty()) {
    const auto [line, rest] = headers.split('\n');
    const auto [name, value] = line.split(':');
    std::uint64_t length = 0;
    if (name.trim().equals_insensitive("content-length") && !value.trim().getAsInteger(10, length))
      return length;
    headers = rest;
  }
  return std::nullopt;
}

/// The empty line that ends the headers: its first byte and its length. Lines end in "\r\n" or
/// "\n".
std::optional<std::pair<std::size_t, std::size_t>> emptyLine(llvm::StringRef all,
                                                             std::size_t from) {
  for (std::size_t end = all.find('\n', from); end != llvm::StringRef::npos;
       end = all.find('\n', end + 1)) {
    const llvm::StringRef rest = all.drop_front(end + 1);
    if (rest.startswith("\n") || rest.startswith("\r\n"))
      return std::pair(end + 1, rest.find('\n') + 1);
  }
  return std::nullopt;
}
} // namespace

std::string dpl::framed(llvm::StringRef message, Framing framing) {
  return framing == Framing::Lines
             ? message.str() + "\n"
             : fmt::format("Content-Length: {}\r\n\r\n", message.size()) + message.str();
}

void FrameReader::append(llvm::StringRef bytes) {
  const std::size_t dropped = std::min(skip, bytes.size());
  skip -= dropped;
  bytes = bytes.drop_front(dropped);
  if (at > buffer.size() / 2) {
    buffer.erase(0, at);
    scanned -= std::min(scanned, at), at = 0;
  }
  buffer.append(bytes.data(), bytes.size());
}

std::optional<FrameReader::Frame> FrameReader::next() {
  return framing == Framing::Lines ? nextLine() : nextWithHeaders();
}

FrameReader::Frame FrameReader::tooLong() const {
  return {"", fmt::format("a line has more than {} bytes", most)};
}

std::optional<FrameReader::Frame> FrameReader::dropped(std::size_t bytes, std::string mistake) {
  at += bytes, scanned = at;
  return Frame{"", std::move(mistake)};
}

std::optional<FrameReader::Frame> FrameReader::nextLine() {
  while (true) {
    const std::size_t end = buffer.find('\n', std::max(at, scanned));
    if (end == std::string::npos) {
      scanned = buffer.size();
      if (scanned - at <= most)
        return std::nullopt;
      at = scanned;
      return std::exchange(skipLine, true) ? std::nullopt : std::optional(tooLong());
    }
    const std::size_t length = end - at;
    const llvm::StringRef line = llvm::StringRef(buffer).substr(at, length).trim();
    at = scanned = end + 1;
    if (std::exchange(skipLine, false) || line.empty())
      continue;
    if (length > most)
      return tooLong();
    return Frame{line.str(), ""};
  }
}

std::optional<FrameReader::Frame> FrameReader::nextWithHeaders() {
  const llvm::StringRef all = buffer;
  while (at < buffer.size() && (buffer[at] == '\r' || buffer[at] == '\n'))
    ++at; // empty lines after a message
  // The line break before the empty line may be two bytes before what was scanned.
  const std::size_t from = std::max(at, scanned < 2 ? 0 : scanned - 2);
  const auto end = emptyLine(all, from);
  if (!end) {
    scanned = buffer.size();
    if (buffer.size() - at <= longestHeaders)
      return std::nullopt;
    return dropped(buffer.size() - at, "a message begins with `Content-Length: BYTES`");
  }
  const std::size_t body = end->first + end->second;
  const std::optional<std::uint64_t> length = lengthIn(all.slice(at, end->first));
  if (!length)
    return dropped(body - at, "the headers of a message have no `Content-Length: BYTES`");
  if (*length > most) {
    const std::uint64_t have = std::min<std::uint64_t>(buffer.size() - body, *length);
    skip = *length - have;
    return dropped(body - at + have,
                   fmt::format("a message has {} bytes, at most {} are read", *length, most));
  }
  if (buffer.size() - body < *length) {
    scanned = end->first; // the headers are found again at once
    return std::nullopt;
  }
  Frame out{all.substr(body, *length).str(), ""};
  at = scanned = body + *length;
  return out;
}

std::optional<FrameReader::Frame> FrameReader::rest() {
  const llvm::StringRef left = llvm::StringRef(buffer).drop_front(at).trim();
  const bool incomplete = skip > 0 || !left.empty();
  if (framing == Framing::Lines)
    return left.empty() || skipLine ? std::nullopt : std::optional(Frame{left.str(), ""});
  if (!incomplete)
    return std::nullopt;
  const auto end = emptyLine(buffer, at);
  const std::optional<std::uint64_t> length =
      end ? lengthIn(llvm::StringRef(buffer).slice(at, end->first)) : std::nullopt;
  if (skip > 0 || !length)
    return Frame{
        "", skip > 0
                ? fmt::format("the input ends {} bytes before the end of its last message", skip)
                : "the input ends without a message: each begins with "
                  "`Content-Length: BYTES` and an empty line"};
  return Frame{"", fmt::format("the input ends within a message: `Content-Length` is {}, found {} "
                               "bytes",
                               *length, buffer.size() - end->first - end->second)};
}
