//===- Written.cpp - Writes values in the syntax of the language ------------------------------===//
#include "frontend/sema/Written.h"
#include "llvm/ADT/StringSet.h"
using namespace dpl;
using namespace dpl::sema;

namespace {
/// An exact number. If a fraction has endlessly many digits, it is written as a division.
std::string numberText(const Number& number) {
  const std::string text = number.str();
  const bool own = number.unit && number.unit->dimension == number.dimension;
  const auto scaled = Rational::divide(number.value, own ? number.unit->factor : Rational(1));
  const std::size_t digits = text.find_first_not_of("0123456789.-");
  const auto shown = Rational::parse(llvm::StringRef(text).take_front(digits));
  if (!scaled || !own || (shown && *shown == *scaled))
    return text;
  const std::string fraction = scaled->str();
  const auto [over, under] = llvm::StringRef(fraction).split('/');
  return fmt::format("{} / {} * 1{}", over, under, number.unit->text);
}

std::string listOf(Evaluator& evaluator, llvm::ArrayRef<Value> values) {
  std::string out = "[";
  for (const Value& value : values)
    out += (out.size() > 1 ? ", " : "") + writtenAs(evaluator, value);
  return out + "]";
}

/// A field as text: "chunks = 2", "layers in [1, 2]". Empty if it is not set.
std::string fieldOf(Evaluator& evaluator, Object& object, const FieldDecl& f) {
  const Value value = evaluator.field(object, f, {});
  const Winner* winner = evaluator.winner(object, f);
  if (const auto* open = winner ? evaluator.candidatesOf(object, *winner) : nullptr)
    return fmt::format("{} in {}", f.name(), listOf(evaluator, open->all));
  if (value.unknown() || value.is(Value::ValueKind::Absent))
    return "";
  if (!value.is(Value::ValueKind::Family))
    return fmt::format("{} = {}", f.name(), writtenAs(evaluator, value));
  std::string entries;
  if (!value.family->counted())
    for (const Evaluator::EvaluatedEntry& entry : evaluator.entries(*value.family))
      entries += fmt::format("{}{}[{}] = {}", entries.empty() ? "" : ", ", f.name(),
                             keyText(*value.family, entry.key), writtenAs(evaluator, entry.value));
  return entries;
}

std::string fieldsOf(Evaluator& evaluator, Object& object) {
  std::string out;
  object.eachField([&](const FieldDecl& f) {
    if (const std::string text = fieldOf(evaluator, object, f); !text.empty())
      out += (out.empty() ? "" : ", ") + text;
  });
  return out.empty() ? "" : " { " + out + " }";
}
} // namespace

std::string sema::writtenAs(Evaluator& evaluator, const Value& value) {
  switch (value.kind) {
  case Value::ValueKind::Bool:
    return value.truth ? "true" : "false";
  case Value::ValueKind::Number:
    return numberText(value.number);
  case Value::ValueKind::String:
    return '"' + value.text.str() + '"';
  case Value::ValueKind::Choice:
    return value.member->name.str() + (value.object ? fieldsOf(evaluator, *value.object) : "");
  case Value::ValueKind::Object:
    return value.object->decl
               ? evaluator.shared.sources.text(value.range).str()
               : value.object->schema->name.str() + fieldsOf(evaluator, *value.object);
  case Value::ValueKind::List:
    return listOf(evaluator, value.list);
  case Value::ValueKind::Rest:
    return "rest";
  case Value::ValueKind::Auto:
    return "auto";
  case Value::ValueKind::Absent:
    return "none";
  case Value::ValueKind::Result:
    return value.figure.path.str();
  case Value::ValueKind::Symbol:
  case Value::ValueKind::Missing:
    return value.text.str();
  default:
    return "";
  }
}

std::vector<std::string> sema::candidateTexts(Evaluator& evaluator, const Value& value) {
  const bool choice = value.is(Value::ValueKind::Choice);
  if (!value.object || (!choice && (!value.is(Value::ValueKind::Object) || value.object->decl)))
    return {writtenAs(evaluator, value)};
  std::vector<std::string> all{""};
  value.object->eachField([&](const FieldDecl& f) {
    std::vector<std::string> texts;
    const Value inner = evaluator.field(*value.object, f, {});
    const Winner* winner = evaluator.winner(*value.object, f);
    const auto* open = winner ? evaluator.candidatesOf(*value.object, *winner) : nullptr;
    for (const Value& one : open ? open->all : llvm::makeArrayRef(inner))
      if (open || one.object)
        for (const std::string& text : candidateTexts(evaluator, one))
          texts.push_back(fmt::format("{} = {}", f.name(), text));
    if (texts.empty() || inner.unknown())
      texts = {fieldOf(evaluator, *value.object, f)};
    std::vector<std::string> longer;
    for (const std::string& before : all)
      for (const std::string& text : texts)
        longer.push_back(before + (before.empty() || text.empty() ? "" : ", ") + text);
    all = std::move(longer);
  });
  const llvm::StringRef name = choice ? value.member->name : value.object->schema->name;
  for (std::string& text : all)
    text = name.str() + (text.empty() ? "" : " { " + text + " }");
  return all;
}

std::string sema::keyText(const IndexedField& family, llvm::StringRef key) {
  return family.type->key->kind == Type::TypeKind::String ? fmt::format("\"{}\"", key) : key.str();
}

std::optional<std::size_t> sema::listedTwice(Evaluator& evaluator, llvm::ArrayRef<Value> values) {
  llvm::StringSet<> seen;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!seen.insert(writtenAs(evaluator, values[i])).second)
      return i;
  return std::nullopt;
}
