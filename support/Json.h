#pragma once
//===- Json.h - JSON with keys in insertion order ---------------------------------------------===//
#include "llvm/ADT/StringRef.h"
#include <cassert>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace dpl {

/// Why a text is not JSON.
struct JsonMistake {
  std::size_t at = 0; ///< offset of the first wrong byte
  std::string reason;
};

/// A JSON value with the member names of nlohmann/json. Only Json.cpp includes the library, for
/// reading and writing, because each source that includes it compiles 4 s longer.
class Json {
public:
  enum class JsonKind : std::uint8_t {
    Null,
    Boolean,
    Signed,
    Unsigned,
    Real,
    String,
    Array,
    Object,
    Discarded ///< result of parsing a text that is not JSON
  };
  class Element;
  using Array = std::vector<Json>;
  using JsonObject = std::vector<std::pair<std::string, Json>>;

  // Types with a JSON form convert implicitly. NOLINTBEGIN(google-explicit-constructor)
  Json() = default;
  Json(std::nullptr_t) {}
  template <class T>
  requires std::is_arithmetic_v<T> Json(T value) {
    if constexpr (std::is_same_v<T, bool>)
      k = JsonKind::Boolean, held.boolean = value;
    else if constexpr (std::is_floating_point_v<T>)
      k = JsonKind::Real, held.real = value;
    else if constexpr (std::is_signed_v<T>)
      k = JsonKind::Signed, held.signedWhole = value;
    else
      k = JsonKind::Unsigned, held.whole = value;
  }
  Json(std::string text);
  Json(llvm::StringRef text) : Json(text.str()) {}
  Json(const char* text) : Json(std::string(text)) {}
  template <class T> Json(const std::vector<T>& list) : Json(array()) {
    held.elements->reserve(list.size());
    for (const T& one : list)
      held.elements->emplace_back(one);
  }
  template <class T> Json(const std::map<std::string, T>& members) : Json(object()) {
    for (const auto& [key, value] : members)
      append(key, value);
  }
  /// Makes an object if every element is a list of a text and a value, as in `{{"a", 1}, {"b",
  /// 2}}`, otherwise an array.
  Json(std::initializer_list<Element> list);
  // NOLINTEND(google-explicit-constructor)

  Json(const Json& other);
  Json(Json&& other) noexcept : k(std::exchange(other.k, JsonKind::Null)), held(other.held) {}
  Json& operator=(Json other) noexcept {
    std::swap(k, other.k), std::swap(held, other.held);
    return *this;
  }
  ~Json() {
    if (k >= JsonKind::String)
      destroy();
  }
  static Json array(std::initializer_list<Element> list = {});
  static Json object();

  /// Parses a text. The result is `Discarded` if it is not JSON or nests more than 1,000 deep.
  /// `comments` allows C++ comments. Of duplicate keys the last one counts.
  static Json parse(llvm::StringRef text, JsonMistake* mistake = nullptr, bool comments = false);
  /// Writes one line, or indents by `indent`. Bytes that are not UTF-8 become U+FFFD.
  std::string dump(int indent = -1) const;

  // The names are those of the library. NOLINTBEGIN(readability-identifier-naming)
  JsonKind kind() const noexcept { return k; }
  bool is_null() const noexcept { return k == JsonKind::Null; }
  bool is_boolean() const noexcept { return k == JsonKind::Boolean; }
  bool is_number() const noexcept { return k >= JsonKind::Signed && k <= JsonKind::Real; }
  bool is_number_unsigned() const noexcept { return k == JsonKind::Unsigned; }
  bool is_string() const noexcept { return k == JsonKind::String; }
  bool is_array() const noexcept { return k == JsonKind::Array; }
  bool is_object() const noexcept { return k == JsonKind::Object; }
  bool is_structured() const noexcept { return is_array() || is_object(); }
  bool is_discarded() const noexcept { return k == JsonKind::Discarded; }

  /// The value as a C++ type of the same kind; numbers convert to any arithmetic type.
  template <class T> T get() const {
    if constexpr (std::is_same_v<T, Json>) {
      return *this;
    } else if constexpr (std::is_same_v<T, bool>) {
      assert(is_boolean());
      return held.boolean;
    } else if constexpr (std::is_arithmetic_v<T>) {
      assert(is_number());
      return k == JsonKind::Real     ? static_cast<T>(held.real)
             : k == JsonKind::Signed ? static_cast<T>(held.signedWhole)
                                     : static_cast<T>(held.whole);
    } else {
      static_assert(std::is_same_v<T, std::string>);
      return str();
    }
  }
  const std::string& str() const {
    assert(is_string());
    return *held.text;
  }

  /// The number of elements or members; 0 for null, 1 for other kinds.
  std::size_t size() const noexcept;
  bool empty() const noexcept { return size() == 0; }

  /// The elements of an array; none for other kinds.
  const Json* begin() const noexcept { return is_array() ? held.elements->data() : nullptr; }
  const Json* end() const noexcept {
    return is_array() ? begin() + held.elements->size() : nullptr;
  }
  const Json& operator[](std::size_t i) const { return const_cast<Json&>(*this)[i]; }
  Json& operator[](std::size_t i) {
    assert(is_array() && i < held.elements->size());
    return (*held.elements)[i];
  }
  const Json& front() const { return (*this)[0]; }
  const Json& back() const { return (*this)[size() - 1]; }
  Json& back() { return (*this)[size() - 1]; }
  /// Appends to an array; null becomes an array.
  void push_back(Json value);

  /// The members of an object; none for other kinds.
  const JsonObject& items() const noexcept;
  /// The member with this key; null if it is missing or if this is not an object.
  const Json* find(llvm::StringRef key) const noexcept;
  bool contains(llvm::StringRef key) const noexcept { return find(key) != nullptr; }
  /// The member with this key; a JSON null if it is missing.
  const Json& operator[](llvm::StringRef key) const;
  /// The member with this key, which is added as a JSON null if it is missing. Null becomes an
  /// object.
  Json& operator[](llvm::StringRef key);
  /// The member with this key; `otherwise` if it is missing.
  template <class T> T value(llvm::StringRef key, T otherwise) const {
    const Json* found = find(key);
    return found ? found->get<T>() : std::move(otherwise);
  }
  std::string value(llvm::StringRef key, const char* otherwise) const {
    return value(key, std::string(otherwise));
  }
  /// Adds a member without searching for its key. Null becomes an object.
  void append(std::string key, Json value);
  /// Adds the members of another object and replaces those with equal keys.
  void update(Json other);
  void erase(llvm::StringRef key);
  // NOLINTEND(readability-identifier-naming)

  /// Compares numbers by value, and objects with the order of their members.
  bool operator==(const Json& other) const noexcept;
  friend std::ostream& operator<<(std::ostream& out, const Json& value) { return value.print(out); }

private:
  void destroy() noexcept;
  std::ostream& print(std::ostream& out) const;

  JsonKind k = JsonKind::Null;
  union {
    bool boolean;
    std::int64_t signedWhole;
    std::uint64_t whole = 0;
    double real;
    std::string* text; // this pointer and the next two are owned
    Array* elements;
    JsonObject* members;
  } held;
};

/// An element of a braced list, whose value can be moved out.
class Json::Element {
public:
  Element() = default;
  template <class T>
  requires std::is_constructible_v<Json, T> Element(T&& value) // NOLINT: elements convert
      : value(std::forward<T>(value)) {}
  Element(std::initializer_list<Element> list) : value(list) {}

private:
  friend class Json;
  mutable Json value;
};

struct Dimension;
struct Number;
/// A quantity in base units: `{"value": 85899345920, "unit": "B"}`. Whole numbers are written
/// exactly as integers, other values as the nearest double.
Json quantity(double value, const Dimension& dimension);
/// The same with the exact decimal and unit that the user wrote, if there are any: `{"value":
/// 85899345920, "unit": "B", "written": "80GiB"}`.
Json quantity(const Number& number);

/// The value as text with an indent of two and a final newline. Bytes that are not UTF-8 become
/// U+FFFD.
std::string textOf(const Json& value);

class DiagnosticEngine;
class SourceManager;
/// The diagnostics as JSON values, one for each; `renderJson` writes them.
std::vector<Json> diagnosticsAsJson(const DiagnosticEngine& engine, const SourceManager& sources);

} // namespace dpl
