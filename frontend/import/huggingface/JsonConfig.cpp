//===- JsonConfig.cpp - Reads a JSON object by key --------------------------------------------===//
#include "frontend/import/huggingface/JsonConfig.h"
#include "frontend/import/settings/SettingValue.h"
#include "support/diagnostics/Imports.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>
using namespace dpl;
using namespace dpl::imports;

namespace {
/// Finds the first error, or the first size above a limit, without building values.
struct ErrorFinder : nlohmann::json_sax<nlohmann::json> {
  bool null() override { return value(); }
  bool boolean(bool) override { return value(); }
  bool number_integer(number_integer_t) override { return value(); }
  bool number_unsigned(number_unsigned_t) override { return value(); }
  bool number_float(number_float_t, const string_t&) override { return value(); }
  bool string(string_t&) override { return value(); }
  bool binary(binary_t&) override { return value(); }
  bool start_object(std::size_t) override { return keys.emplace_back(), opens(); }
  bool key(string_t& name) override {
    if (!keys.back().insert(name).second && repeated.empty())
      repeated = name;
    // The JSON object compares each key with all keys before it, so their number is limited.
    if (keys.back().size() > settings::mostEntries)
      tooMuch = fmt::format("an object has more than {} keys", settings::mostEntries);
    return tooMuch.empty();
  }
  bool end_object() override { return keys.pop_back(), --depth, true; }
  bool start_array(std::size_t) override { return opens(); }
  bool end_array() override { return --depth, true; }
  bool parse_error(std::size_t byte, const std::string&,
                   const nlohmann::detail::exception&) override {
    position = byte;
    return false;
  }
  bool value() {
    if (!budget.spend(1))
      tooMuch = fmt::format("it has more than {} values", settings::ValueBudget::most);
    return tooMuch.empty();
  }
  /// Limits the depth, because building a value is recursive and could overflow the stack.
  bool opens() {
    if (++depth > settings::deepestValue)
      tooMuch = "it is nested too deeply";
    return value();
  }
  unsigned depth = 0;
  std::size_t position = 0;
  std::vector<std::set<std::string>> keys; ///< keys of each open object
  std::string repeated, tooMuch;
  settings::ValueBudget budget;
};

/// The position of a key, with its quotes, in the object that begins at `at` or next after it; npos
/// if the object does not have it.
std::size_t keyIn(llvm::StringRef text, std::size_t at, llvm::StringRef key) {
  unsigned depth = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '{' || c == '[')
      ++depth;
    if ((c == '}' || c == ']') && --depth == 0)
      break;
    if (c != '"')
      continue;
    std::size_t end = at + 1;
    while (end < text.size() && text[end] != '"')
      end += text[end] == '\\' ? 2 : 1;
    if (depth == 1 && text.slice(at + 1, end) == key &&
        text.drop_front(std::min(end + 1, text.size())).ltrim().startswith(":"))
      return at;
    at = end;
  }
  return llvm::StringRef::npos;
}

/// Keys that are sizes of a model. A file must not set one of them twice, by two names.
constexpr const char* sizes[] = {"num_hidden_layers",   "hidden_size", "num_attention_heads",
                                 "num_key_value_heads", "num_experts", "num_experts_per_tok",
                                 "intermediate_size"};

template <class T> std::vector<T> listOf(const Json& values) {
  std::vector<T> out;
  for (const Json& value : values)
    out.push_back(value.get<T>());
  return out;
}

std::string shortened(std::string text) {
  constexpr std::size_t most = 60;
  if (text.size() > most)
    text.replace(most - 3, std::string::npos, "...");
  return text;
}

/// Replaces Infinity and NaN, which Python writes, but which are not JSON.
template <class Replace> std::string withoutPython(llvm::StringRef text, Replace replace) {
  constexpr llvm::StringLiteral words[] = {"-Infinity", "Infinity", "NaN"};
  std::string out;
  out.reserve(text.size());
  bool quoted = false;
  while (!text.empty()) {
    const auto* const word =
        std::find_if(std::begin(words), std::end(words),
                     [&](llvm::StringRef w) { return !quoted && text.startswith(w); });
    if (word != std::end(words)) {
      out += replace(*word);
      text = text.drop_front(word->size());
      continue;
    }
    quoted ^= text[0] == '"';
    const std::size_t taken = quoted && text[0] == '\\' ? 2 : 1;
    out += text.take_front(taken);
    text = text.drop_front(std::min(taken, text.size()));
  }
  return out;
}
} // namespace

std::optional<JsonConfig> JsonConfig::parse(const SourceManager& sources, std::uint32_t file,
                                            DiagnosticEngine& diags) {
  if (settings::tooLong(sources, file, diags))
    return std::nullopt;
  JsonConfig config(sources, file, diags);
  // Each replacement has the length of the word, so that positions stay. The values are read as
  // strings.
  const std::string text = withoutPython(sources.text(file), [](llvm::StringRef word) {
    return "0" + std::string(word.size() - 1, ' ');
  });
  ErrorFinder finder;
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &finder)) {
    if (!finder.tooMuch.empty()) {
      (void)diags.report<diag::NotAConfiguration>({file, 0, 0}, finder.tooMuch);
      return std::nullopt;
    }
    const auto at = static_cast<std::uint32_t>(
        std::min(std::max<std::size_t>(finder.position, 1) - 1, text.size()));
    (void)diags.report<diag::NotAConfiguration>(
        {file, at, std::min(at + 1, static_cast<std::uint32_t>(text.size()))},
        at == text.size() ? "the JSON ends too early" : "this is not JSON");
    return std::nullopt;
  }
  if (!finder.repeated.empty()) {
    (void)diags.report<diag::NotAConfiguration>(config.range(finder.repeated),
                                                "the key `" + finder.repeated + "` is given twice");
    return std::nullopt;
  }
  config.root = Json::parse(withoutPython(
      sources.text(file), [](llvm::StringRef word) { return '"' + word.str() + '"'; }));
  if (!config.root.is_object()) {
    (void)diags.report<diag::NotAConfiguration>({file, 0, 0}, "a JSON object is needed");
    return std::nullopt;
  }
  return config;
}

bool JsonConfig::has(llvm::StringRef key) const {
  readKeys.insert(key.str());
  const Json* found = root.find(key);
  return found && !found->is_null();
}

std::string JsonConfig::written(llvm::StringRef key) const {
  const auto found = theirNames.find(key.str());
  if (found != theirNames.end())
    return found->second;
  const auto absent = absentNames.find(key.str());
  return absent == absentNames.end() || root.contains(key) ? key.str() : absent->second;
}

void JsonConfig::rename(llvm::StringRef theirs, llvm::StringRef ours) {
  const auto [outer, inner] = theirs.split('.');
  const Json* found = root.find(outer);
  if (found && !inner.empty())
    found = found->find(inner);
  if (!found)
    return;
  Json value = *found;
  if (inner.empty())
    root.erase(outer);
  const bool other = root.contains(ours) && !root[ours].is_null();
  if (value.is_null() && other)
    return;
  if (other && theirNames.count(ours.str()) == 0 && root[ours].dump() != value.dump()) {
    if (llvm::is_contained(sizes, ours)) {
      failed = true;
      (void)diags->report<diag::WrongConfigurationValue>(
          rangeOf(ours), ours, shortened(root[ours].dump()),
          fmt::format("the {} of its other name `{}`", shortened(value.dump()), theirs));
    } else {
      replaced.insert(ours.str());
    }
  }
  root[ours] = std::move(value);
  theirNames[ours.str()] = theirs.str();
}

bool JsonConfig::isNothing(llvm::StringRef key) const {
  const Json* found = root.find(key);
  if (!found || found->is_null() || found->empty())
    return true;
  const std::string text = found->dump();
  return text == "false" || text == "0" || text == "0.0" || text == "\"\"";
}

std::vector<JsonConfig::UnreadKey> JsonConfig::unread() const {
  std::map<std::string, std::string> names;
  for (const auto& [key, value] : root.items())
    if (readKeys.count(key) == 0)
      names[key] = written(key);
  for (const std::string& key : replaced)
    names[key] = key;
  std::vector<UnreadKey> out;
  for (const auto& [key, theirs] : names)
    out.push_back({key, theirs});
  return out;
}

std::vector<std::string> JsonConfig::absent() const {
  std::vector<std::string> out;
  for (const std::string& key : readKeys)
    if (!root.contains(key))
      out.push_back(key);
  return out;
}

void JsonConfig::adopt(llvm::StringRef key, const JsonConfig& from) {
  if (from.has(key))
    root[key] = from.root[key];
}

std::vector<std::string> JsonConfig::innerKeys() const {
  std::vector<std::string> out;
  for (const auto& [key, value] : root.items())
    if (value.is_object())
      for (const auto& [inner, unused] : value.items())
        out.push_back(key + "." + inner);
  return out;
}

std::string JsonConfig::shown(llvm::StringRef key) const {
  return has(key) ? shortened(root.find(key)->dump()) : "";
}

bool JsonConfig::holds(llvm::StringRef key, Json::JsonKind kind) const {
  readKeys.insert(key.str());
  const Json* found = root.find(key);
  return found && found->kind() == kind;
}

std::size_t JsonConfig::openingOf(llvm::StringRef key) const {
  return sources->text(file).find('{', range(key).end);
}

SourceRange JsonConfig::range(llvm::StringRef key) const { return rangeOf(written(key)); }

SourceRange JsonConfig::rangeOf(llvm::StringRef theirs) const {
  const llvm::StringRef text = sources->text(file);
  const auto [outer, inner] = theirs.split('.');
  std::size_t at = keyIn(text, opens, outer);
  llvm::StringRef key = outer;
  if (at != llvm::StringRef::npos && !inner.empty())
    at = keyIn(text, text.find('{', at), key = inner);
  if (at == llvm::StringRef::npos)
    return {file, 0, 0};
  return {file, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + key.size() + 2)};
}

template <class Is> const Json* JsonConfig::value(llvm::StringRef key, const char* wanted, Is is) {
  if (!has(key))
    return nullptr;
  const Json& found = root[key];
  if (is(found))
    return &found;
  failed = true;
  (void)diags->report<diag::WrongConfigurationValue>(range(key), written(key),
                                                     shortened(found.dump()), wanted);
  return nullptr;
}

std::uint64_t JsonConfig::count(llvm::StringRef key, std::uint64_t otherwise) {
  constexpr std::uint64_t most = std::uint64_t{1} << 32;
  const Json* found = value(key, "a whole number from 0 to 2^32", [](const Json& j) {
    return j.is_number_unsigned() && j.get<std::uint64_t>() <= most;
  });
  return found ? found->get<std::uint64_t>() : otherwise;
}

void JsonConfig::wrong(llvm::StringRef key, const std::string& wanted) {
  failed = true;
  const Json* found = root.find(key);
  (void)diags->report<diag::WrongConfigurationValue>(
      range(key), written(key), found ? shortened(found->dump()) : "absent", wanted);
}

std::uint64_t JsonConfig::positive(llvm::StringRef key, std::uint64_t otherwise,
                                   std::uint64_t most) {
  const std::uint64_t out = count(key, otherwise);
  if (out >= 1 && out <= most)
    return out;
  wrong(key, "a whole number from 1 to " + std::to_string(most));
  return 1;
}

std::uint64_t JsonConfig::count(llvm::StringRef key, std::uint64_t otherwise, std::uint64_t null) {
  readKeys.insert(key.str());
  return root.contains(key) ? count(key, null) : otherwise;
}

bool JsonConfig::flag(llvm::StringRef key, bool otherwise) {
  const Json* found = value(key, "true or false", [](const Json& j) { return j.is_boolean(); });
  return found ? found->get<bool>() : otherwise;
}

std::string JsonConfig::text(llvm::StringRef key, const std::string& otherwise) {
  const Json* found = value(key, "a string", [](const Json& j) { return j.is_string(); });
  return found ? found->get<std::string>() : otherwise;
}

std::vector<std::uint64_t> JsonConfig::counts(llvm::StringRef key) {
  const Json* found = value(key, "a list of whole numbers", [](const Json& j) {
    return j.is_array() &&
           std::all_of(j.begin(), j.end(), [](const Json& e) { return e.is_number_unsigned(); });
  });
  return found ? listOf<std::uint64_t>(*found) : std::vector<std::uint64_t>{};
}

std::vector<std::string> JsonConfig::texts(llvm::StringRef key) {
  const Json* found = value(key, "a list of strings", [](const Json& j) {
    return j.is_array() &&
           std::all_of(j.begin(), j.end(), [](const Json& e) { return e.is_string(); });
  });
  return found ? listOf<std::string>(*found) : std::vector<std::string>{};
}

void JsonConfig::enter(llvm::StringRef key) {
  if (const Json* inner = value(key, "an object", [](const Json& j) { return j.is_object(); })) {
    Json copy = *inner;
    opens = openingOf(key);
    root = std::move(copy);
  }
}

double JsonConfig::real(llvm::StringRef key, double otherwise) {
  const Json* found = value(key, "a number", [](const Json& j) { return j.is_number(); });
  return found ? found->get<double>() : otherwise;
}

JsonConfig JsonConfig::inside(llvm::StringRef key) {
  JsonConfig out(*sources, file, *diags);
  const Json* inner = value(key, "an object", [](const Json& j) { return j.is_object(); });
  out.root = inner ? *inner : Json::object();
  out.opens = inner ? openingOf(key) : llvm::StringRef::npos;
  return out;
}
