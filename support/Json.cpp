//===- Json.cpp - JSON with keys in insertion order -------------------------------------------===//
#include "support/Json.h"
#include "support/Number.h"
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>
using namespace dpl;

Json::Json(std::string value) : k(JsonKind::String) {
  held.text = new std::string(std::move(value));
}

Json::Json(const Json& other) : k(other.k), held(other.held) {
  if (k == JsonKind::String)
    held.text = new std::string(*other.held.text);
  else if (k == JsonKind::Array)
    held.elements = new Array(*other.held.elements);
  else if (k == JsonKind::Object)
    held.members = new JsonObject(*other.held.members);
}

Json::Json(std::initializer_list<Element> list) {
  const bool object = std::all_of(list.begin(), list.end(), [](const Element& one) {
    return one.value.is_array() && one.value.size() == 2 && one.value[0].is_string();
  });
  if (!object) {
    *this = array(list);
    return;
  }
  *this = Json::object();
  held.members->reserve(list.size());
  for (const Element& one : list) {
    Array& pair = *one.value.held.elements;
    held.members->emplace_back(std::move(*pair[0].held.text), std::move(pair[1]));
  }
}

Json Json::array(std::initializer_list<Element> list) {
  Json out;
  out.k = JsonKind::Array;
  out.held.elements = new Array;
  out.held.elements->reserve(list.size());
  for (const Element& one : list)
    out.held.elements->push_back(std::move(one.value));
  return out;
}

Json Json::object() {
  Json out;
  out.k = JsonKind::Object;
  out.held.members = new JsonObject;
  return out;
}

void Json::destroy() noexcept {
  if (k == JsonKind::String)
    delete held.text;
  else if (k == JsonKind::Array)
    delete held.elements;
  else if (k == JsonKind::Object)
    delete held.members;
}

std::size_t Json::size() const noexcept {
  return k == JsonKind::Array    ? held.elements->size()
         : k == JsonKind::Object ? held.members->size()
         : k == JsonKind::Null   ? 0
                                 : 1;
}

void Json::push_back(Json value) {
  if (is_null())
    *this = array();
  assert(is_array());
  held.elements->push_back(std::move(value));
}

const Json::JsonObject& Json::items() const noexcept {
  static const JsonObject none;
  return is_object() ? *held.members : none;
}

const Json* Json::find(llvm::StringRef key) const noexcept {
  for (const auto& [name, value] : items())
    if (key == name)
      return &value;
  return nullptr;
}

const Json& Json::operator[](llvm::StringRef key) const {
  static const Json null(nullptr);
  const Json* found = find(key);
  return found ? *found : null;
}

Json& Json::operator[](llvm::StringRef key) {
  if (const Json* found = find(key))
    return const_cast<Json&>(*found);
  append(key.str(), nullptr);
  return held.members->back().second;
}

void Json::append(std::string key, Json value) {
  if (is_null())
    *this = object();
  assert(is_object());
  held.members->emplace_back(std::move(key), std::move(value));
}

void Json::update(Json other) {
  if (is_null())
    *this = object();
  assert(is_object() && other.is_object());
  for (auto& [key, value] : *other.held.members)
    (*this)[key] = std::move(value);
}

void Json::erase(llvm::StringRef key) {
  assert(is_object());
  std::erase_if(*held.members, [&](const auto& member) { return key == member.first; });
}

bool Json::operator==(const Json& other) const noexcept {
  if (is_number() && other.is_number() && k != other.k) {
    if (k == JsonKind::Real || other.k == JsonKind::Real)
      return get<double>() == other.get<double>();
    return held.whole == other.held.whole && held.signedWhole >= 0;
  }
  if (k != other.k)
    return false;
  switch (k) {
  case JsonKind::Null:
    return true;
  case JsonKind::Boolean:
    return held.boolean == other.held.boolean;
  case JsonKind::Signed:
  case JsonKind::Unsigned:
    return held.whole == other.held.whole;
  case JsonKind::Real:
    return held.real == other.held.real;
  case JsonKind::String:
    return *held.text == *other.held.text;
  case JsonKind::Array:
    return *held.elements == *other.held.elements;
  case JsonKind::Object:
    return *held.members == *other.held.members;
  case JsonKind::Discarded:
    break;
  }
  return false;
}

std::ostream& Json::print(std::ostream& out) const { return out << dump(); }

namespace {
using NlohmannJson = nlohmann::ordered_json;

/// Builds a value from the events of the library's parser.
class Builder final : public nlohmann::json_sax<NlohmannJson> {
public:
  explicit Builder(JsonMistake& mistake) : mistake(mistake) {}
  Json root;

  bool null() override { return add(nullptr), true; }
  bool boolean(bool value) override { return add(value), true; }
  bool number_integer(number_integer_t value) override { return add(value), true; }
  bool number_unsigned(number_unsigned_t value) override { return add(value), true; }
  bool number_float(number_float_t value, const string_t&) override { return add(value), true; }
  bool string(string_t& value) override { return add(std::move(value)), true; }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return outer.pop_back(), true; }
  bool end_array() override { return outer.pop_back(), true; }
  bool key(string_t& value) override {
    name = std::move(value);
    return true;
  }
  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::detail::exception&) override {
    mistake.at = position == 0 ? 0 : position - 1;
    mistake.reason = "found `" + llvm::StringRef(token).trim().str() + "`";
    return false;
  }

private:
  Json& add(Json value) {
    if (outer.empty())
      return root = std::move(value);
    Json& into = *outer.back();
    if (into.is_object())
      return into[name] = std::move(value);
    into.push_back(std::move(value));
    return into.back();
  }
  /// Begins a nested value; false above the limit of nesting, because a value's destructor is
  /// recursive.
  bool open(Json value) {
    if (outer.size() == 1000) {
      mistake.reason = "it is nested deeper than 1000 levels";
      return false;
    }
    outer.push_back(&add(std::move(value)));
    return true;
  }

  JsonMistake& mistake;
  std::vector<Json*> outer; ///< open values, of which only the last one grows
  std::string name;
};

/// Writes a value as text. The library formats strings and numbers.
class JsonWriter {
public:
  JsonWriter(std::string& out, int indent)
      : out(out), indent(indent), library(nlohmann::detail::output_adapter<char>(out), ' ',
                                          NlohmannJson::error_handler_t::replace) {}

  void write(const Json& value, std::size_t depth) {
    switch (value.kind()) {
    case Json::JsonKind::Null:
      return scalar(nullptr);
    case Json::JsonKind::Boolean:
      return scalar(value.get<bool>());
    case Json::JsonKind::Signed:
      return scalar(value.get<std::int64_t>());
    case Json::JsonKind::Unsigned:
      return scalar(value.get<std::uint64_t>());
    case Json::JsonKind::Real:
      return scalar(value.get<double>());
    case Json::JsonKind::String:
      return write(value.str());
    case Json::JsonKind::Array:
      out += '[';
      for (const Json& element : value) {
        next(&element == value.begin(), depth + 1);
        write(element, depth + 1);
      }
      return end(']', value, depth);
    case Json::JsonKind::Object:
      out += '{';
      for (const auto& member : value.items()) {
        next(&member == &value.items().front(), depth + 1);
        write(member.first);
        out += indent < 0 ? ":" : ": ";
        write(member.second, depth + 1);
      }
      return end('}', value, depth);
    case Json::JsonKind::Discarded:
      out += "<discarded>";
    }
  }

private:
  void scalar(const NlohmannJson& value) { library.dump(value, false, false, 0); }
  void write(const std::string& value) {
    text.get_ref<std::string&>() = value;
    scalar(text);
  }
  void line(std::size_t depth) {
    if (indent >= 0)
      out.append(1, '\n').append(depth * static_cast<std::size_t>(indent), ' ');
  }
  void next(bool first, std::size_t depth) {
    if (!first)
      out += ',';
    line(depth);
  }
  void end(char bracket, const Json& value, std::size_t depth) {
    if (!value.empty())
      line(depth);
    out += bracket;
  }

  std::string& out;
  int indent;
  nlohmann::detail::serializer<NlohmannJson> library;
  NlohmannJson text = ""; ///< reused for each string, so that its memory is reused
};
} // namespace

Json Json::parse(llvm::StringRef text, JsonMistake* mistake, bool comments) {
  JsonMistake unread;
  Builder builder(mistake ? *mistake : unread);
  if (!NlohmannJson::sax_parse(text.begin(), text.end(), &builder,
                               NlohmannJson::input_format_t::json, true, comments))
    builder.root = Json(), builder.root.k = JsonKind::Discarded;
  return std::move(builder.root);
}

std::string Json::dump(int indent) const {
  std::string out;
  JsonWriter(out, indent).write(*this, 0);
  return out;
}

Json dpl::quantity(double value, const Dimension& dimension) {
  // Doubles represent whole numbers exactly up to 2^53.
  const bool whole =
      std::isfinite(value) && value == std::floor(value) && std::fabs(value) < 0x1p53;
  Json j;
  if (whole)
    j["value"] = static_cast<std::int64_t>(value);
  else
    j["value"] = value;
  j["unit"] = baseUnit(dimension);
  return j;
}

Json dpl::quantity(const Number& number) {
  Json j;
  if (const std::optional<std::int64_t> whole = number.value.asInteger())
    j["value"] = *whole;
  else
    j["value"] = number.toDouble();
  j["unit"] = baseUnit(number.dimension);
  if (number.scope != Scope::None)
    j["per"] = name(number.scope).str();
  j["written"] = number.str();
  return j;
}

std::string dpl::textOf(const Json& value) { return value.dump(2) + "\n"; }
