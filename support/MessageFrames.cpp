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
  // The end of the headers may begin up to three bytes before what was scanned.
  const std::size_t from = std::max(at, scanned < 3 ? 0 : scanned - 3);
  const std::size_t end = all.find("\r\n\r\n", from);
  if (end == llvm::StringRef::npos) {
    scanned = buffer.size();
    if (buffer.size() - at <= longestHeaders)
      return std::nullopt;
    return dropped(buffer.size() - at, "a message begins with `Content-Length: BYTES`");
  }
  const std::size_t body = end + 4;
  const std::optional<std::uint64_t> length = lengthIn(all.slice(at, end));
  if (!length)
    return dropped(body - at, "the headers of a message have no `Content-Length: BYTES`");
  if (*length > most) {
    const std::uint64_t have = std::min<std::uint64_t>(buffer.size() - body, *length);
    skip = *length - have;
    return dropped(body - at + have,
                   fmt::format("a message has {} bytes, at most {} are read", *length, most));
  }
  if (buffer.size() - body < *length) {
    scanned = end; // the headers are found again at once
    return std::nullopt;
  }
  Frame out{all.substr(body, *length).str(), ""};
  at = scanned = body + *length;
  return out;
}
