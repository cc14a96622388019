//===- Reader.cpp - A plan from the text that the printer wrote -------------------------------===//
//
// All members come in the order of their description. An unknown, a missing and a misplaced member
// are therefore the same error: another name appears where this one is needed. Commas count as
// white space.
#include "ir/Fields.h"
#include "ir/Locations.h"
#include "ir/Names.h"
#include "support/Diagnostics.h"
#include "support/diagnostics/Tools.h"
#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>

using namespace dpl;
using namespace dpl::ir;

namespace {

class PlanReader {
public:
  explicit PlanReader(llvm::StringRef text) : text(text) {}

  std::string error;

  template <class T> void operator()(const char* name, T& value) {
    if (!error.empty())
      return;
    if constexpr (RecordList<T>) {
      value.clear();
      while (error.empty() && peek() == name) {
        value.emplace_back();
        part(name, value.back());
      }
    } else if constexpr (Record<T>) {
      part(name, value);
    } else if constexpr (IsOptional<T>::value) {
      value.reset();
      if (peek() == name)
        (*this)(name, value.emplace());
    } else if constexpr (IsMap<T>::value) {
      if (!expect(name) || !expect("{"))
        return;
      value.clear();
      while (error.empty() && peek() != "}") {
        typename T::key_type key{};
        typename T::mapped_type mapped{};
        scalar(key);
        expect("=");
        scalar(mapped);
        if (error.empty() && !value.emplace(key, mapped).second)
          fail("the same key again", "each key once");
      }
      expect("}");
    } else {
      if (!expect(name) || !expect("="))
        return;
      if constexpr (ScalarList<T>) {
        value.clear();
        expect("[");
        while (error.empty() && peek() != "]") {
          value.emplace_back();
          scalar(value.back());
        }
        expect("]");
      } else {
        scalar(value);
      }
    }
  }

  bool isNext(llvm::StringRef name) { return error.empty() && peek() == name; }

  void finish() {
    if (error.empty() && !peek().empty())
      fail(quoted(peek()), "the end of the plan");
  }

private:
  template <class T> void part(const char* name, T& value) {
    if (!expect(name) || !expect("{"))
      return;
    value.fields(*this);
    if constexpr (requires { value.microBatch, value.chunk, value.duration; }) {
      fits(value.chunk, decltype(ScheduledAction::chunk){}, "chunk");
      fits(value.microBatch, decltype(ScheduledAction::microBatch){}, "micro_batch");
    }
    expect("}");
  }

  /// Checks a value that the plan stores in fewer bits than its text allows.
  template <class Kept> void fits(std::uint64_t read, Kept, const char* name) {
    constexpr Kept most = std::numeric_limits<Kept>::max();
    if (read > most)
      fail(fmt::format("`{}` = {}", name, read), fmt::format("at most {}", most));
  }

  void scalar(bool& value) {
    const llvm::StringRef token = peek();
    if (token != "true" && token != "false")
      return fail(quoted(token), "`true` or `false`");
    value = token == "true";
    advance();
  }
  void scalar(std::uint64_t& value) {
    const llvm::StringRef token = peek();
    const auto end = std::from_chars(token.begin(), token.end(), value);
    if (token.empty() || end.ec != std::errc() || end.ptr != token.end())
      return fail(quoted(token), "a whole number below 2^64");
    advance();
  }
  template <class Of> void scalar(Id<Of>& value) {
    std::uint64_t index = 0;
    scalar(index);
    fits(index, std::uint32_t{}, "index");
    if (error.empty())
      value = Id<Of>(index);
  }
  void scalar(double& value) {
    const llvm::StringRef token = peek();
    double read = 0;
    const auto end = std::from_chars(token.begin(), token.end(), read);
    const bool whole = !token.empty() && end.ec == std::errc() && end.ptr == token.end();
    // Counts and shares are never negative.
    if (!whole || !std::isfinite(read) || read < 0)
      return fail(quoted(token), "a number that is not negative");
    value = read;
    advance();
  }
  template <class E>
  requires std::is_enum_v<E>
  void scalar(E& value) {
    if (valueNamed(peek(), value))
      return advance();
    std::string needed;
    for (const char* name : namesOf(value))
      needed += (needed.empty() ? "" : ", ") + std::string("`") + name + "`";
    fail(quoted(peek()), "one of " + needed);
  }
  void scalar(std::string& value) {
    llvm::StringRef token = peek();
    if (token.size() < 2 || token.front() != '"' || token.back() != '"')
      return fail(quoted(token), "a string");
    value.clear();
    const llvm::StringRef body = token.drop_front().drop_back();
    for (std::size_t i = 0; i < body.size(); ++i) {
      if (body[i] != '\\') {
        value += body[i];
        continue;
      }
      ++i; // the scanner rejects strings that end in a lone backslash
      unsigned code = 0;
      if (body[i] == 'n')
        value += '\n';
      else if (body[i] == 'x' && !body.substr(i + 1, 2).getAsInteger(16, code) &&
               i + 2 < body.size()) {
        value += static_cast<char>(code);
        i += 2;
      } else
        value += body[i];
    }
    advance();
  }

  /// The next token; empty at the end. Strings keep their quotes.
  llvm::StringRef peek() {
    while (position < text.size() && llvm::StringRef(" \t\r\n,").contains(text[position]))
      ++position;
    const llvm::StringRef rest = text.substr(position);
    if (rest.empty())
      return rest;
    if (rest.front() == '"') {
      std::size_t end = 1;
      while (end < rest.size() && rest[end] != '"' && rest[end] != '\n')
        end += rest[end] == '\\' ? 2 : 1;
      // Without a closing quote it is not a string; returns the opening quote.
      return rest.take_front(end < rest.size() && rest[end] == '"' ? end + 1 : 1);
    }
    const llvm::StringRef punctuation = "{}[]=";
    if (punctuation.contains(rest.front()))
      return rest.take_front(1);
    return rest.take_front(rest.find_first_of(" \t\r\n,{}[]=\""));
  }
  void advance() { position += peek().size(); }
  bool expect(llvm::StringRef token) {
    if (!error.empty())
      return false;
    if (peek() != token) {
      fail(quoted(peek()), quoted(token));
      return false;
    }
    advance();
    return true;
  }
  static std::string quoted(llvm::StringRef token) {
    if (token.empty())
      return "the end";
    return "`" + token.take_front(40).str() + "`";
  }
  void fail(const std::string& found, const std::string& needed) {
    if (!error.empty())
      return;
    const auto line = std::count(text.begin(), text.begin() + position, '\n') + 1;
    error = fmt::format("line {}: found {}, needed {}", line, found, needed);
  }

  llvm::StringRef text;
  std::size_t position = 0;
};

} // namespace

FailureOr<Plan> ir::read(const std::string& text, const std::string& file,
                         DiagnosticEngine& diags) {
  Locations unused;
  return read(text, file, diags, unused);
}

FailureOr<Plan> ir::read(const std::string& text, const std::string& file, DiagnosticEngine& diags,
                         Locations& locations) {
  Plan made;
  PlanReader reader(text);
  reader("plan", made);
  if (reader.isNext("locations"))
    reader("locations", locations);
  reader.finish();
  if (!reader.error.empty())
    return diags.report<diag::PlanUnreadable>({}, file, reader.error);
  return made;
}
