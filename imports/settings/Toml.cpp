//===- Toml.cpp - A TOML file as values -------------------------------------------------------===//
#include "imports/settings/Value.h"
#include "llvm/ADT/StringExtras.h"
#include <fmt/format.h>

#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#define TOML_MAX_NESTED_VALUES 32
#include <toml++/toml.h>

using namespace dpl;
using namespace dpl::imports::settings;

namespace {

/// Tables are taken apart by recursion, as deep as keys have points.
constexpr std::ptrdiff_t mostPoints = 2'000;

class Reader {
public:
  Reader(const SourceManager& sources, std::uint32_t file) : text(sources.text(file)), file(file) {
    starts.push_back(0);
    for (std::size_t i = 0; i < text.size(); ++i)
      if (text[i] == '\n')
        starts.push_back(i + 1);
  }

  /// From the first of these places to the end of its line at most; columns count code points.
  SourceRange rangeOf(const toml::source_region& region) const {
    const std::size_t line = region.begin.line == 0 ? 0 : region.begin.line - 1;
    if (line >= starts.size())
      return {file, 0, 1};
    std::size_t at = starts[line];
    for (unsigned column = 1; column < region.begin.column && at < text.size() && text[at] != '\n';
         ++column)
      do
        ++at;
      while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80);
    const std::size_t end = std::min(text.find('\n', at), text.size());
    return {file, static_cast<std::uint32_t>(at),
            static_cast<std::uint32_t>(std::max(end, std::min(at + 1, text.size())))};
  }

  FailureOr<Value> read(const toml::node& node, unsigned depth, SourceRange at,
                        DiagnosticEngine& diags) {
    Value out;
    out.at = at;
    if (depth > deepestValue)
      return notA("TOML file of settings", "its tables are too deep", at, diags);
    if (const toml::table* table = node.as_table()) {
      out.kind = Value::Kind::Table;
      for (const auto& [key, value] : *table) {
        FailureOr<Value> inner = read(value, depth + 1, rangeOf(key.source()), diags);
        if (inner.failed())
          return inner;
        out.entries.push_back({std::string(key.str()), std::move(*inner)});
      }
      return out;
    }
    if (const toml::array* array = node.as_array()) {
      out.kind = Value::Kind::List;
      for (const toml::node& item : *array) {
        FailureOr<Value> inner = read(item, depth + 1, rangeOf(item.source()), diags);
        if (inner.failed())
          return inner;
        out.entries.push_back({"", std::move(*inner)});
      }
      return out;
    }
    scalar(node, out);
    return out;
  }

private:
  static void scalar(const toml::node& node, Value& out) {
    if (const auto* held = node.as_string()) {
      out.kind = Value::Kind::Text, out.text = held->get();
    } else if (const auto* truth = node.as_boolean()) {
      out.kind = Value::Kind::Truth, out.text = truth->get() ? "true" : "false";
    } else if (const auto* whole = node.as_integer()) {
      out.kind = Value::Kind::Number, out.text = std::to_string(whole->get());
    } else if (const auto* real = node.as_floating_point()) {
      out.kind = Value::Kind::Number, out.text = fmt::format("{}", real->get());
    } else {
      out.kind = Value::Kind::Unread, out.text = "a date";
    }
  }

  llvm::StringRef text;
  std::uint32_t file;
  std::vector<std::size_t> starts; ///< of the lines
};

} // namespace

FailureOr<Value> dpl::imports::settings::readToml(const SourceManager& sources, std::uint32_t file,
                                                  DiagnosticEngine& diags) {
  if (tooLong(sources, file, diags))
    return LogicalResult::failure();
  Reader reader(sources, file);
  const llvm::StringRef text = sources.text(file);
  if (text.count('.') > static_cast<std::size_t>(mostPoints))
    return notA("TOML file of settings", fmt::format("it has more than {} points", mostPoints),
                {file, 0, 1}, diags);
  const toml::parse_result parsed = toml::parse(std::string_view(text.data(), text.size()));
  if (parsed.failed())
    return notA("TOML", std::string(parsed.error().description()),
                reader.rangeOf(parsed.error().source()), diags);
  return reader.read(parsed.table(), 0, {file, 0, 1}, diags);
}
