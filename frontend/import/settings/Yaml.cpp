//===- Yaml.cpp - Reads a YAML file -----------------------------------------------------------===//
//
// Reads the events of libyaml. Anchors are ignored. Aliases are refused: settings of frameworks
// have none, and a few lines of nested aliases would expand to more values than memory can hold.
#include "frontend/import/settings/SettingValue.h"
#include "frontend/import/settings/TextPositions.h"
#include <algorithm>
#include <yaml.h>

using namespace dpl;
using namespace dpl::imports::settings;

namespace {

class YamlReader {
public:
  YamlReader(const SourceManager& sources, std::uint32_t file, DiagnosticEngine& diags)
      : text(sources.text(file)), places(text), file(file), diags(diags) {
    yaml_parser_initialize(&parser);
    yaml_parser_set_input_string(&parser, reinterpret_cast<const unsigned char*>(text.data()),
                                 text.size());
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
  }
  ~YamlReader() { yaml_parser_delete(&parser); }
  YamlReader(const YamlReader&) = delete;
  YamlReader& operator=(const YamlReader&) = delete;

  FailureOr<SettingValue> run() {
    SettingValue root;
    bool first = true;
    while (true) {
      YamlEvent event;
      if (next(event).failed())
        return LogicalResult::failure();
      if (event.it.type == YAML_STREAM_END_EVENT)
        return root;
      if (event.it.type == YAML_DOCUMENT_START_EVENT) {
        if (!first)
          return notA("a file of settings", "a second document begins here", rangeOf(event.it),
                      diags);
        first = false;
        FailureOr<SettingValue> read = value(0);
        if (read.failed())
          return read;
        root = std::move(*read);
      }
    }
  }

private:
  struct YamlEvent {
    YamlEvent() = default;
    ~YamlEvent() { yaml_event_delete(&it); }
    YamlEvent(const YamlEvent&) = delete;
    YamlEvent& operator=(const YamlEvent&) = delete;
    yaml_event_t it{};
  };

  /// The range of an event. Marks count code points from the beginning of the text. The range of a
  /// scalar is too short if quotes or escapes make its text longer than its value.
  SourceRange rangeOf(const yaml_event_t& event) {
    const std::uint32_t begin = places.byteOf(event.start_mark.index);
    const std::size_t length =
        event.type == YAML_SCALAR_EVENT ? std::max<std::size_t>(event.data.scalar.length, 1) : 1;
    const std::size_t end = std::min<std::size_t>(places.endOfLine(begin), begin + length);
    return {file, begin, static_cast<std::uint32_t>(std::max<std::size_t>(end, begin + 1))};
  }

  LogicalResult next(YamlEvent& event) {
    if (yaml_parser_parse(&parser, &event.it) != 0)
      return LogicalResult::success();
    const std::uint32_t at = places.byteOf(parser.problem_mark.index);
    return notA("YAML", parser.problem ? parser.problem : "it cannot be read", {file, at, at + 1},
                diags);
  }

  FailureOr<SettingValue> value(unsigned depth) {
    YamlEvent event;
    if (next(event).failed())
      return LogicalResult::failure();
    return valueOf(event, depth);
  }

  FailureOr<SettingValue> valueOf(const YamlEvent& event, unsigned depth) {
    SettingValue out;
    out.at = rangeOf(event.it);
    if (depth > deepestValue || !budget.spend(1))
      return notA("a file of settings", "it has too many values, or is nested too deeply", out.at,
                  diags);
    switch (event.it.type) {
    case YAML_SCALAR_EVENT:
      scalar(event.it, out);
      return out;
    case YAML_SEQUENCE_START_EVENT:
      out.kind = SettingValue::SettingKind::List;
      while (true) {
        YamlEvent item;
        if (next(item).failed())
          return LogicalResult::failure();
        if (item.it.type == YAML_SEQUENCE_END_EVENT)
          return out;
        FailureOr<SettingValue> inner = valueOf(item, depth + 1);
        if (inner.failed())
          return inner;
        out.entries.push_back({"", std::move(*inner)});
      }
    case YAML_MAPPING_START_EVENT:
      return table(std::move(out), depth);
    default:
      return notA("a file of settings", "it has an alias", out.at, diags);
    }
  }

  FailureOr<SettingValue> table(SettingValue out, unsigned depth) {
    out.kind = SettingValue::SettingKind::Table;
    while (true) {
      YamlEvent key;
      if (next(key).failed())
        return LogicalResult::failure();
      if (key.it.type == YAML_MAPPING_END_EVENT)
        return out;
      if (key.it.type != YAML_SCALAR_EVENT)
        return notA("a file of settings", "a key is not a string", rangeOf(key.it), diags);
      const SourceRange at = rangeOf(key.it);
      FailureOr<SettingValue> inner = value(depth + 1);
      if (inner.failed())
        return inner;
      inner->at = at;
      const std::string name(reinterpret_cast<const char*>(key.it.data.scalar.value),
                             key.it.data.scalar.length);
      if (addEntry(out, name, std::move(*inner), at, diags).failed())
        return LogicalResult::failure();
    }
  }

  static void scalar(const yaml_event_t& event, SettingValue& out) {
    out.text.assign(reinterpret_cast<const char*>(event.data.scalar.value),
                    event.data.scalar.length);
    out.kind = SettingValue::SettingKind::Text;
    if (event.data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
      return;
    const std::string lower = llvm::StringRef(out.text).lower();
    const auto is = [&](std::initializer_list<const char*> words) {
      return std::find(words.begin(), words.end(), lower) != words.end();
    };
    std::string digits = out.text;
    digits.erase(std::remove(digits.begin(), digits.end(), '_'), digits.end());
    double real = 0;
    if (is({"", "~", "null"}))
      out.kind = SettingValue::SettingKind::Null;
    else if (is({"true", "yes", "on"}))
      out.kind = SettingValue::SettingKind::Truth, out.text = "true";
    else if (is({"false", "no", "off"}))
      out.kind = SettingValue::SettingKind::Truth, out.text = "false";
    else if (llvm::StringRef(digits).find_first_of("0123456789") != llvm::StringRef::npos &&
             !llvm::StringRef(digits).getAsDouble(real))
      out.kind = SettingValue::SettingKind::Number, out.text = digits;
  }

  llvm::StringRef text;
  TextPositions places;
  std::uint32_t file;
  DiagnosticEngine& diags;
  yaml_parser_t parser{};
  ValueBudget budget;
};

} // namespace

FailureOr<SettingValue> dpl::imports::settings::readYaml(const SourceManager& sources,
                                                         std::uint32_t file,
                                                         DiagnosticEngine& diags) {
  if (tooLong(sources, file, diags))
    return LogicalResult::failure();
  return YamlReader(sources, file, diags).run();
}
