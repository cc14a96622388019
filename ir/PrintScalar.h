#pragma once
//===- PrintScalar.h - Plan values as text that the reader accepts ----------------------------===//
#include "ir/Fields.h"
#include "ir/Names.h"
#include <charconv>
#include <fmt/format.h>

namespace dpl::ir {

inline void printScalar(std::string& out, bool v) { out += v ? "true" : "false"; }
inline void printScalar(std::string& out, std::uint64_t v) {
  fmt::format_to(std::back_inserter(out), "{}", v);
}
template <class Of> void printScalar(std::string& out, Id<Of> v) {
  printScalar(out, std::uint64_t{v.index()});
}
inline void printScalar(std::string& out, double v) {
  // Shortest digits that read back to the same double.
  char digits[32];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), v);
  out.append(digits, end.ptr);
}
inline void printScalar(std::string& out, const std::string& v) {
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

template <class T> void printValue(std::string& out, const T& value) {
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

template <class K, class V> void printValue(std::string& out, const std::map<K, V>& value) {
  out += '{';
  const char* separator = " ";
  for (const auto& [key, mapped] : value) {
    out += separator;
    printScalar(out, key);
    out += " = ";
    printScalar(out, mapped);
    separator = ", ";
  }
  out += value.empty() ? "}" : " }";
}

} // namespace dpl::ir
