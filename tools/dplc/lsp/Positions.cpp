//===- Positions.cpp - Positions of the Language Server Protocol in a text --------------------===//
#include "tools/dplc/lsp/Positions.h"
#include "support/OpenTexts.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>
using namespace dpl;
using namespace dpl::tool;

LineIndex::LineIndex(llvm::StringRef text, PositionEncoding encoding)
    : text(text), encoding(encoding), starts{0} {
  for (std::size_t at = text.find('\n'); at != llvm::StringRef::npos; at = text.find('\n', at + 1))
    starts.push_back(at + 1);
}

std::size_t LineIndex::lineOf(std::size_t byte) const {
  return static_cast<std::size_t>(std::upper_bound(starts.begin(), starts.end(), byte) -
                                  starts.begin()) -
         1;
}

std::size_t LineIndex::startOf(std::size_t line) const {
  return line < starts.size() ? starts[line] : text.size();
}

std::size_t tool::unitsOf(llvm::StringRef part, PositionEncoding encoding) {
  if (encoding == PositionEncoding::Utf8)
    return part.size();
  std::size_t count = 0;
  for (const char c : part) {
    const auto byte = static_cast<unsigned char>(c);
    count += (byte & 0xC0) == 0x80 ? 0 : byte >= 0xF0 ? 2 : 1;
  }
  return count;
}

Json LineIndex::position(std::size_t byte) const {
  byte = std::min(byte, text.size());
  const std::size_t line = lineOf(byte);
  if (lastByte < starts[line] || lineOf(lastByte) != line)
    lastByte = starts[line], lastCharacter = 0;
  if (lastByte <= byte)
    lastCharacter += unitsOf(text.slice(lastByte, byte), encoding);
  else
    lastCharacter -= unitsOf(text.slice(byte, lastByte), encoding);
  lastByte = byte;
  return {{"line", line}, {"character", lastCharacter}};
}

Json LineIndex::range(std::size_t begin, std::size_t end) const {
  return {{"start", position(begin)}, {"end", position(end)}};
}

std::size_t LineIndex::byteAt(const Json& position) const {
  const std::int64_t line = wholeAt(position, "line", 0);
  const std::int64_t character = wholeAt(position, "character", 0);
  if (line < 0 || character < 0)
    return 0;
  if (static_cast<std::size_t>(line) >= starts.size())
    return text.size();
  std::size_t byte = starts[static_cast<std::size_t>(line)];
  std::size_t end = std::min(text.find('\n', byte), text.size());
  if (end < text.size() && end > byte && text[end - 1] == '\r')
    --end; // both characters end the line
  for (std::size_t left = static_cast<std::size_t>(character); left > 0 && byte < end;) {
    std::size_t length = 1;
    while (byte + length < end && (static_cast<unsigned char>(text[byte + length]) & 0xC0) == 0x80)
      ++length;
    const std::size_t width = unitsOf(text.substr(byte, length), encoding);
    if (width > left) // a position within a character is its start
      break;
    left -= width, byte += length;
  }
  return byte;
}

std::string tool::textAt(const Json& object, llvm::StringRef key) {
  const Json* found = object.find(key);
  return found && found->is_string() ? found->str() : std::string();
}

std::int64_t tool::wholeAt(const Json& object, llvm::StringRef key, std::int64_t otherwise) {
  const Json* found = object.find(key);
  if (!found || (found->kind() != Json::JsonKind::Signed && !found->is_number_unsigned()))
    return otherwise;
  return found->get<std::int64_t>();
}

std::string tool::pathOfUri(llvm::StringRef uri) {
  llvm::StringRef rest = uri;
  if (!rest.consume_front("file://"))
    return uri.str();
  rest.consume_front("localhost");
  std::string path;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    unsigned byte = 0;
    if (rest[i] == '%' && i + 2 < rest.size() && !rest.substr(i + 1, 2).getAsInteger(16, byte)) {
      path += static_cast<char>(byte);
      i += 2;
    } else {
      path += rest[i];
    }
  }
  return absolutePath(path);
}

std::string tool::uriOfPath(llvm::StringRef path) {
  if (!path.startswith("/"))
    return path.str();
  std::string uri = "file://";
  for (const char c : path)
    if (llvm::isAlnum(c) || llvm::StringRef("-._~/").contains(c))
      uri += c;
    else
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return uri;
}
