//===- JsonStream.cpp - A JSON text of any size, plain or gzip, read once ---------------------===//
#include "driver/compare/JsonStream.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
using namespace dpl;
using namespace dpl::compare;

namespace {
constexpr std::size_t piece = 1 << 18, longestString = 1 << 16, longestValue = 1 << 20;

/// Reads up to `most` bytes; 0 at the end or after an error, which is set.
std::size_t readSome(int descriptor, char* to, std::size_t most, std::string& wrong) {
  while (true) {
    const ssize_t got = ::read(descriptor, to, most);
    if (got >= 0)
      return static_cast<std::size_t>(got);
    if (errno == EINTR)
      continue;
    wrong = std::strerror(errno);
    return 0;
  }
}
} // namespace

struct ByteStream::Gzip {
  z_stream zlib{};
  std::vector<char> input = std::vector<char>(piece);
  bool started = false, ended = false; ///< inside of a member; at the end of one
  ~Gzip() {
    if (started)
      inflateEnd(&zlib);
  }
};

ByteStream::ByteStream() = default;
ByteStream::~ByteStream() {
  if (descriptor >= 0)
    ::close(descriptor);
}

std::string ByteStream::open(const std::string& path) {
  descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat about {};
  if (descriptor < 0 || ::fstat(descriptor, &about) != 0)
    return std::strerror(errno);
  if (!S_ISREG(about.st_mode))
    return "it is not a file";
  buffer.resize(piece);
  size = readSome(descriptor, buffer.data(), piece, wrong);
  data = buffer.data();
  if (size >= 2 && data[0] == '\x1f' && data[1] == '\x8b') {
    gzip = std::make_unique<Gzip>();
    std::memcpy(gzip->input.data(), data, size);
    gzip->zlib.next_in = reinterpret_cast<Bytef*>(gzip->input.data());
    gzip->zlib.avail_in = static_cast<uInt>(size);
    size = 0;
  } else if (size >= 3 && std::memcmp(data, "\xEF\xBB\xBF", 3) == 0) {
    at = 3;
  }
  return wrong;
}

bool ByteStream::fill() {
  if (!wrong.empty())
    return false;
  before += size, at = 0, size = 0;
  if (!gzip) {
    size = readSome(descriptor, buffer.data(), piece, wrong);
    return size > 0;
  }
  z_stream& z = gzip->zlib;
  z.next_out = reinterpret_cast<Bytef*>(buffer.data()), z.avail_out = piece;
  while (z.avail_out == piece) {
    if (z.avail_in == 0) {
      z.next_in = reinterpret_cast<Bytef*>(gzip->input.data());
      z.avail_in = static_cast<uInt>(readSome(descriptor, gzip->input.data(), piece, wrong));
      if (z.avail_in == 0) {
        if (wrong.empty() && gzip->started && !gzip->ended)
          wrong = "the compressed file ends early";
        return false;
      }
    }
    if (!gzip->started || gzip->ended) {
      constexpr int gzipHeader = 16;
      if ((gzip->started ? inflateReset(&z) : inflateInit2(&z, gzipHeader + MAX_WBITS)) != Z_OK) {
        wrong = "zlib does not start";
        return false;
      }
      gzip->started = true, gzip->ended = false;
    }
    const int result = inflate(&z, Z_NO_FLUSH);
    gzip->ended = result == Z_STREAM_END;
    if (result != Z_OK && result != Z_STREAM_END) {
      wrong = "the compressed data are damaged";
      break;
    }
  }
  size = piece - z.avail_out;
  return size > 0;
}

void ByteStream::until(char a, char b, std::string* out) {
  while (at < size || fill()) {
    const char* const from = data + at;
    std::size_t n = 0;
    while (n < size - at && from[n] != a && from[n] != b)
      ++n;
    if (out && out->size() < longestString)
      out->append(from, std::min(n, longestString - out->size()));
    at += n;
    if (at < size)
      return;
  }
}

bool JsonStream::fail(std::string reason) {
  if (why.empty())
    why = bytes.problem().empty() ? fmt::format("byte {}: {}", bytes.offset(), reason)
                                  : fmt::format("byte {}: {}", bytes.offset(), bytes.problem());
  return false;
}

int JsonStream::peek() {
  int c = bytes.peek();
  while (c == ' ' || c == '\n' || c == '\r' || c == '\t')
    (void)bytes.next(), c = bytes.peek();
  return c;
}

bool JsonStream::expect(char c) {
  if (failed())
    return false;
  const int found = peek();
  if (found == c)
    return bytes.next() == c;
  return fail(found < 0 ? fmt::format("the text ends, `{}` is needed", c)
                        : fmt::format("`{}` is needed", c));
}

bool JsonStream::closes(char c) {
  if (failed() || peek() != c)
    return false;
  (void)bytes.next();
  return true;
}

void JsonStream::escape(std::string* out) {
  const int c = bytes.next();
  if (c != 'u') {
    const char* const at = std::strchr("nrtbf", c);
    if (out && c > 0)
      out->push_back(at && *at ? "\n\r\t\b\f"[at - std::strchr("nrtbf", 'n')]
                               : static_cast<char>(c));
    return;
  }
  unsigned code = 0;
  for (int i = 0; i < 4; ++i) {
    const int digit = bytes.next();
    const unsigned value = digit < 0 ? ~0U : llvm::hexDigitValue(static_cast<char>(digit));
    if (value > 15) {
      (void)fail("`\\u` needs four digits");
      return;
    }
    code = code * 16 + value;
  }
  char utf8[UNI_MAX_UTF8_BYTES_PER_CODE_POINT];
  char* end = utf8;
  if (out && llvm::ConvertCodePointToUTF8(code, end))
    out->append(utf8, end);
}

bool JsonStream::quoted(std::string* out, bool decode) {
  if (!expect('"'))
    return false;
  if (!decode && out)
    out->push_back('"');
  while (true) {
    bytes.until('"', '\\', out);
    const int c = bytes.next();
    if (c < 0)
      return fail("the text ends inside a string");
    if (c == '"')
      break;
    if (decode) {
      escape(out && out->size() < longestString ? out : nullptr);
    } else {
      const int next = bytes.next();
      if (out && next >= 0)
        out->push_back('\\'), out->push_back(static_cast<char>(next));
    }
    if (failed())
      return false;
  }
  if (!decode && out)
    out->push_back('"');
  return true;
}

bool JsonStream::string(std::string& out) {
  out.clear();
  return quoted(&out, true);
}

bool JsonStream::text(std::string& out) {
  out.clear();
  return peek() == '"' ? string(out) : capture(&out);
}

/// Counts brackets only, so that hostile nesting needs no stack.
bool JsonStream::capture(std::string* out) {
  std::size_t depth = 0;
  do {
    const int c = failed() ? -1 : peek();
    if (c < 0)
      return fail("the text ends, a value is needed");
    if (out && out->size() > longestValue)
      return fail("the value is longer than 1 MiB");
    if (c == '"') {
      if (!quoted(out, false))
        return false;
      continue;
    }
    if (c == '[' || c == '{')
      ++depth;
    else if (c == ']' || c == '}') {
      if (depth == 0)
        return fail("a value is needed");
      --depth;
    } else if (depth == 0 && (c == ',' || c == ':')) {
      return fail("a value is needed");
    } else if (c != ',' && c != ':') {
      // A number or a word; profilers also write NaN and Infinity.
      for (int w = c; w >= 0 && (std::isalnum(w) || w == '.' || w == '-' || w == '+');
           w = bytes.peek()) {
        if (out)
          out->push_back(static_cast<char>(w));
        (void)bytes.next();
      }
      if (bytes.peek() == c)
        return fail("this is not a value");
      continue;
    }
    if (out)
      out->push_back(static_cast<char>(c));
    (void)bytes.next();
  } while (depth > 0);
  return true;
}
