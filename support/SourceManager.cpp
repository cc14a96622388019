//===- SourceManager.cpp - The source texts of one compilation, and positions in them ---------===//
#include "support/SourceManager.h"
#include "support/Utf8.h"
#include <algorithm>
#include <cassert>
#include <fmt/format.h>
using namespace dpl;

std::uint32_t SourceManager::add(std::string name, std::string text, std::uint32_t skipped) {
  auto entry = std::make_unique<SourceEntry>();
  entry->name = std::move(name);
  entry->owned = std::move(text);
  entry->text = entry->owned;
  entry->skipped = skipped;
  entries.push_back(std::move(entry));
  return static_cast<std::uint32_t>(entries.size());
}

std::uint32_t SourceManager::addStatic(std::string name, llvm::StringRef text) {
  auto entry = std::make_unique<SourceEntry>();
  entry->name = std::move(name);
  entry->text = text;
  entries.push_back(std::move(entry));
  return static_cast<std::uint32_t>(entries.size());
}

std::uint32_t SourceManager::addPart(SourceRange line) {
  auto part = std::make_unique<SourceEntry>();
  part->name = entry(line.file).name;
  part->text = text(line);
  part->skipped = skipped(line.file) + line.begin;
  part->first = at(line.file, line.begin);
  entries.push_back(std::move(part));
  return static_cast<std::uint32_t>(entries.size());
}

std::uint32_t SourceManager::addLine(std::string name, std::string text, std::uint32_t line) {
  const std::uint32_t file = add(std::move(name), std::move(text));
  entries.back()->first = {line, 1};
  return file;
}

const SourceManager::SourceEntry& SourceManager::entry(std::uint32_t file) const {
  assert(file >= 1 && file <= entries.size() && "not a file of this compilation");
  return *entries[file - 1];
}

llvm::StringRef SourceManager::text(std::uint32_t file) const { return entry(file).text; }

llvm::StringRef SourceManager::text(SourceRange r) const {
  return r.valid() ? entry(r.file).text.slice(r.begin, r.end) : llvm::StringRef();
}

llvm::StringRef SourceManager::name(std::uint32_t file) const { return entry(file).name; }

std::uint32_t SourceManager::skipped(std::uint32_t file) const { return entry(file).skipped; }

const std::vector<std::uint32_t>& SourceManager::lines(const SourceEntry& e) const {
  if (e.lineStarts.empty()) {
    e.lineStarts.push_back(0);
    for (std::size_t i = e.text.find('\n'); i != llvm::StringRef::npos;
         i = e.text.find('\n', i + 1))
      e.lineStarts.push_back(static_cast<std::uint32_t>(i + 1));
  }
  return e.lineStarts;
}

LineColumn SourceManager::at(std::uint32_t file, std::uint32_t byte) const {
  const SourceEntry& e = entry(file);
  const std::vector<std::uint32_t>& starts = lines(e);
  byte = std::min(byte, static_cast<std::uint32_t>(e.text.size()));
  const auto next = std::upper_bound(starts.begin(), starts.end(), byte);
  const std::uint32_t start = *std::prev(next);
  const auto line = static_cast<std::uint32_t>(next - starts.begin() - 1);
  const auto column = static_cast<std::uint32_t>(codePoints(e.text.slice(start, byte)));
  return {e.first.line + line, (line == 0 ? e.first.column : 1) + column};
}

std::optional<std::uint32_t> SourceManager::byteAt(std::uint32_t file, LineColumn place) const {
  const std::vector<std::uint32_t>& starts = lines(entry(file));
  if (place.line < 1 || place.line > starts.size() || place.column < 1)
    return std::nullopt;
  const std::uint32_t begin = starts[place.line - 1];
  const llvm::StringRef text = line(file, begin);
  // The longest prefix with column − 1 code points ends between characters.
  for (std::size_t length = text.size() + 1; length-- > 0;)
    if (codePoints(text.take_front(length)) + 1 == place.column)
      return static_cast<std::uint32_t>(begin + length);
  return std::nullopt;
}

llvm::StringRef SourceManager::line(std::uint32_t file, std::uint32_t byte) const {
  const SourceEntry& e = entry(file);
  const std::vector<std::uint32_t>& starts = lines(e);
  byte = std::min(byte, static_cast<std::uint32_t>(e.text.size()));
  const std::uint32_t start = *std::prev(std::upper_bound(starts.begin(), starts.end(), byte));
  llvm::StringRef line = e.text.drop_front(start);
  line = line.take_front(line.find('\n'));
  line.consume_back("\r");
  return line;
}

std::string SourceManager::describe(SourceRange r) const {
  if (!r.valid())
    return "";
  const LineColumn place = at(r.file, r.begin);
  return fmt::format("{}:{}:{}", entry(r.file).name, place.line, place.column);
}
