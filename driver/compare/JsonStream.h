#pragma once
//===- JsonStream.h - A JSON text of any size, plain or gzip, read once from front to back ----===//
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace dpl::compare {

/// The bytes of a file, decompressed if they are gzip.
class ByteStream {
public:
  ByteStream();
  ~ByteStream();
  ByteStream(const ByteStream&) = delete;
  /// Opens a file; empty, or why it cannot be read.
  std::string open(const std::string& path);
  /// The next byte; −1 at the end.
  int next() { return at < size || fill() ? static_cast<unsigned char>(data[at++]) : -1; }
  int peek() { return at < size || fill() ? static_cast<unsigned char>(data[at]) : -1; }
  /// Appends bytes up to the next of two, which stays unread.
  void until(char a, char b, std::string* out);
  std::uint64_t offset() const { return before + at; }
  /// Why reading stopped before the end of the file: "is not gzip: …"; empty if it did not.
  const std::string& problem() const { return wrong; }

private:
  bool fill();
  struct Gzip;
  std::unique_ptr<Gzip> gzip; ///< null for a plain file
  int descriptor = -1;
  std::vector<char> buffer;
  const char* data = nullptr;
  std::size_t at = 0, size = 0;
  std::uint64_t before = 0; ///< bytes of the text before the buffer
  std::string wrong;
};

/// Reads one value after another. After a mistake all functions fail, and `mistake` has the reason.
class JsonStream {
public:
  explicit JsonStream(ByteStream& bytes) : bytes(bytes) {}
  /// Visits the members of an object: `member` reads the value of each key.
  template <class Member> bool object(Member member) {
    if (!expect('{'))
      return false;
    for (bool first = true; !closes('}'); first = false) {
      std::string key;
      if (failed() || (!first && !expect(',')) || !string(key) || !expect(':') || !member(key))
        return false;
    }
    return !failed();
  }
  /// Visits the elements of an array: `element` reads each.
  template <class Element> bool array(Element element) {
    if (!expect('['))
      return false;
    for (bool first = true; !closes(']'); first = false)
      if (failed() || (!first && !expect(',')) || !element())
        return false;
    return !failed();
  }
  /// The next byte that is not white space.
  int peek();
  /// A string, of which at most 64 KiB are kept.
  bool string(std::string& out);
  /// A string without its quotes, or another value as it is written.
  bool text(std::string& out);
  /// Skips a value.
  bool skip() { return capture(nullptr); }
  bool fail(std::string reason);
  bool failed() const { return !why.empty(); }
  /// "byte 17: …"; empty if there is none.
  const std::string& mistake() const { return why; }

private:
  bool expect(char c);
  bool closes(char c);
  bool capture(std::string* out);
  bool quoted(std::string* out, bool decode);
  void escape(std::string* out);
  ByteStream& bytes;
  std::string why;
};

} // namespace dpl::compare
