//===- Printer.cpp - A plan as text -----------------------------------------------------------===//
//
// name { … } is a part, name = value a member; a list of parts is the same name again and again. A
// part without parts of its own is one line when that fits.
#include "ir/Fields.h"
#include "ir/Locations.h"
#include "ir/Names.h"
#include "llvm/Support/xxhash.h"
#include <charconv>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::ir;

namespace {

constexpr std::size_t lineWidth = 160; ///< one scheduled operation fits

void printScalar(std::string& out, bool v) { out += v ? "true" : "false"; }
void printScalar(std::string& out, std::uint64_t v) {
  fmt::format_to(std::back_inserter(out), "{}", v);
}
void printScalar(std::string& out, double v) {
  // Shortest digits that read back to the same double.
  char digits[32];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), v);
  out.append(digits, end.ptr);
}
void printScalar(std::string& out, const std::string& v) {
  out += '"';
  for (const char c : v) {
    if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (c == '\n')
      out += "\\n";
    else if (static_cast<unsigned char>(c) < 0x20)
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  out += '"';
}
template <class E>
requires std::is_enum_v<E>
void printScalar(std::string& out, E v) { out += namesOf(v)[static_cast<std::size_t>(v)]; }

/// Whether a part holds no part of its own.
struct LeafTest {
  bool leaf = true;
  template <class T> void operator()(const char*, T&) {
    if (Record<T> || RecordList<T> || IsMap<T>::value)
      leaf = false;
  }
};

class Printer {
public:
  std::string out;

  template <class T> void operator()(const char* name, T& value) {
    if constexpr (RecordList<T>) {
      for (auto& element : value)
        part(name, element);
    } else if constexpr (Record<T>) {
      part(name, value);
    } else {
      begin(name);
      if constexpr (IsMap<T>::value) {
        out += " {";
        const char* separator = " ";
        for (const auto& [key, mapped] : value) {
          out += separator;
          printScalar(out, key);
          out += " = ";
          printScalar(out, mapped);
          separator = ", ";
        }
        out += value.empty() ? "}" : " }";
      } else {
        out += " = ";
        member(value);
      }
      end();
    }
  }

private:
  template <class T> void member(const T& value) {
    if constexpr (ScalarList<T>) {
      out += '[';
      for (std::size_t i = 0; i < value.size(); ++i) {
        if (i)
          out += ", ";
        printScalar(out, value[i]);
      }
      out += ']';
    } else {
      printScalar(out, value);
    }
  }

  template <class T> void part(const char* name, T& value) {
    begin(name);
    out += " {";
    LeafTest test;
    value.fields(test);
    const std::size_t inner = out.size();
    if (test.leaf) {
      flat = first = true;
      value.fields(*this);
      flat = false;
      out += first ? "}" : " }";
      const std::size_t lineBegin = out.rfind('\n') + 1; // npos + 1 is the first line
      if (out.size() - lineBegin <= lineWidth) {
        end();
        return;
      }
      out.resize(inner);
    }
    out += '\n';
    ++depth;
    value.fields(*this);
    --depth;
    out.append(2 * depth, ' ');
    out += '}';
    end();
  }
  void begin(const char* name) {
    if (flat) {
      out += first ? " " : ", ";
      first = false;
    } else {
      out.append(2 * depth, ' ');
    }
    out += name;
  }
  void end() {
    if (!flat)
      out += '\n';
  }

  bool flat = false, first = true;
  unsigned depth = 0;
};

/// What the front end fills, less what changes no figure.
struct Content {
  Plan& plan;
  template <class V> void fields(V& v) {
    v("name", plan.name), v("model", plan.model), v("cluster", plan.cluster);
    v("layout", plan.layout), v("assertion", plan.assertions);
  }
};

} // namespace

std::string ir::print(const Plan& plan) {
  Printer printer;
  // `fields` serves the reader too, so it takes a mutable plan; a printer changes nothing.
  printer("plan", const_cast<Plan&>(plan));
  return std::move(printer.out);
}

std::string ir::print(const Locations& locations) {
  Printer printer;
  printer("locations", const_cast<Locations&>(locations));
  return std::move(printer.out);
}

bool ir::equal(const Plan& a, const Plan& b) { return print(a) == print(b); }

std::string ir::contentHash(const Plan& plan) {
  Printer printer;
  Content content{const_cast<Plan&>(plan)};
  printer("plan", content);
  return fmt::format("{:016x}", llvm::xxHash64(printer.out));
}
