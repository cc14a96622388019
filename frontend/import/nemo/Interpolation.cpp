//===- Interpolation.cpp - Resolves `${…}` of OmegaConf ---------------------------------------===//
#include "frontend/import/nemo/Interpolation.h"
#include "llvm/ADT/StringRef.h"

using namespace dpl;
using namespace dpl::imports;
using namespace dpl::imports::settings;

namespace {

class Interpolator {
public:
  explicit Interpolator(const SettingValue& root) : root(root) {}

  /// The value of an expression, relative to the table `beside`; none if it is not known.
  std::optional<SettingValue> valueOf(llvm::StringRef text, const SettingValue& beside,
                                      unsigned depth = 0) const {
    constexpr unsigned deepest = 8;
    SettingValue out;
    if (!text.startswith("${") || !text.endswith("}") || depth > deepest) {
      out.kind = SettingValue::SettingKind::Number, out.text = text.str();
      double number = 0;
      return text.getAsDouble(number) ? std::nullopt : std::optional(out);
    }
    llvm::StringRef inside = text.drop_front(2).drop_back(1);
    if (inside.consume_front("multiply:")) {
      const std::size_t comma = topComma(inside);
      const auto a = valueOf(inside.take_front(comma).trim(), beside, depth + 1),
                 b = valueOf(inside.substr(comma + 1).trim(), beside, depth + 1);
      std::uint64_t x = 0, y = 0, product = 0;
      if (comma == inside.size() || !a || !b || llvm::StringRef(a->text).getAsInteger(10, x) ||
          llvm::StringRef(b->text).getAsInteger(10, y) || __builtin_mul_overflow(x, y, &product))
        return std::nullopt;
      out.kind = SettingValue::SettingKind::Number, out.text = std::to_string(product);
      return out;
    }
    const SettingValue* from = inside.consume_front(".") ? &beside : &root;
    const SettingValue* found = at(from, inside);
    if (!found && from == &root && inside.consume_front("training."))
      found = at(from, inside);
    if (!found || found->kind == SettingValue::SettingKind::Table ||
        found->kind == SettingValue::SettingKind::List)
      return std::nullopt;
    return llvm::StringRef(found->text).startswith("${") ? valueOf(found->text, beside, depth + 1)
                                                         : std::optional(*found);
  }

private:
  static const SettingValue* at(const SettingValue* from, llvm::StringRef path) {
    for (llvm::StringRef key; from && !path.empty();) {
      std::tie(key, path) = path.split('.');
      from = from->find(key);
    }
    return from;
  }
  /// The position of the first comma outside of `${…}`; the size of the text if there is none.
  static std::size_t topComma(llvm::StringRef text) {
    std::size_t open = 0, i = 0;
    for (; i < text.size(); ++i)
      if (text[i] == '{')
        ++open;
      else if (text[i] == '}' && open > 0)
        --open;
      else if (text[i] == ',' && open == 0)
        return i;
    return i;
  }

  const SettingValue& root;
};

void walk(SettingValue& value, const SettingValue& untouched, const SettingValue& same) {
  for (std::size_t i = 0; i < value.entries.size(); ++i) {
    SettingValue& inner = value.entries[i].value;
    const SettingValue& before = same.entries[i].value;
    if (inner.kind == SettingValue::SettingKind::Text &&
        llvm::StringRef(inner.text).startswith("${")) {
      if (std::optional<SettingValue> known = Interpolator(untouched).valueOf(inner.text, same)) {
        known->at = inner.at;
        inner = std::move(*known);
      }
    } else {
      walk(inner, untouched, before);
    }
  }
}

} // namespace

void dpl::imports::nemo::interpolate(SettingValue& root) {
  const SettingValue before = root;
  walk(root, before, before);
}
