#pragma once
//===- Value.h - What an expression of the language comes to ----------------------------------===//
#include "support/Number.h"
#include "support/SourceManager.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace dpl::sema {

class IndexedField;
class Object;
struct ChoiceSchema;
struct Schema;

/// A small value, copied freely; what it points to lives as long as the compilation.
struct Value {
  enum class ValueKind : std::uint8_t {
    Poison,  ///< a diagnostic was reported; whoever meets it stays silent
    Missing, ///< a required field that is not yet given: `object` and `text` say which
    Absent,  ///< an optional field that nobody set
    Bool,
    Number,
    String,
    Choice, ///< a member of a schema with choices; `object` holds its fields, null if it has none
    Symbol, ///< the name of a metric, an axis or a field, where such a name is wanted
    List,
    Range, ///< `list` is first and last, both included; empty when last < first
    Object,
    Family,
    Rest,
    Auto,
    Result ///< a figure that the passes compute
  };
  struct FigureValue {
    llvm::StringRef path; ///< empty for what is computed from figures
    Dimension dimension;
  };
  ValueKind kind = ValueKind::Poison;
  bool truth = false;
  SourceRange range; ///< the expression that gave it
  sema::Object* object = nullptr;
  const Schema* schema = nullptr; ///< of a Choice, of Auto
  // A compilation holds one for each field of each block.
  union {
    dpl::Number number;         ///< of a Number, and what a plain value begins with
    llvm::StringRef text;       ///< of a String, Symbol, Missing, Absent
    FigureValue figure;         ///< of a Result
    const ChoiceSchema* member; ///< of a Choice
    sema::IndexedField* family;
    llvm::ArrayRef<Value> list; ///< of a List, Range
  };

  Value() : number() {}

  /// Whether one can stand for the other, written at the same place.
  bool sameAs(const Value& o) const {
    if (kind != o.kind || truth != o.truth || range != o.range || object != o.object ||
        schema != o.schema)
      return false;
    switch (kind) {
    case ValueKind::Number:
      return number.value == o.number.value && number.dimension == o.number.dimension &&
             number.scope == o.number.scope && number.unit == o.number.unit;
    case ValueKind::Missing:
    case ValueKind::Absent:
    case ValueKind::String:
    case ValueKind::Symbol:
      return text == o.text;
    case ValueKind::Choice:
      return member == o.member;
    case ValueKind::List:
    case ValueKind::Range:
      return list.data() == o.list.data() && list.size() == o.list.size();
    case ValueKind::Family:
      return family == o.family;
    case ValueKind::Result:
      return false;
    default:
      return true;
    }
  }
  bool is(ValueKind k) const { return kind == k; }
  bool poison() const { return kind == ValueKind::Poison; }
  /// Poison, or not yet given: nothing can be computed from it, and nothing is to be said about it
  /// here.
  bool unknown() const { return kind == ValueKind::Poison || kind == ValueKind::Missing; }

  static Value of(bool b) {
    Value v;
    v.kind = ValueKind::Bool, v.truth = b;
    return v;
  }
  static Value of(const dpl::Number& n) {
    Value v;
    v.kind = ValueKind::Number, v.number = n;
    return v;
  }
  static Value count(Rational n) {
    dpl::Number x;
    x.value = n;
    return of(x);
  }
  static Value string(llvm::StringRef s) {
    Value v;
    v.kind = ValueKind::String, new (&v.text) llvm::StringRef(s);
    return v;
  }
  static Value symbol(llvm::StringRef s) {
    Value v;
    v.kind = ValueKind::Symbol, new (&v.text) llvm::StringRef(s);
    return v;
  }
  static Value choice(const Schema& of, const ChoiceSchema* chosen) {
    Value v;
    v.kind = ValueKind::Choice, v.schema = &of, new (&v.member) const ChoiceSchema*(chosen);
    return v;
  }
  static Value result(const FigureValue& f) {
    Value v;
    v.kind = ValueKind::Result, new (&v.figure) FigureValue(f);
    return v;
  }
  static Value of(sema::IndexedField& f) {
    Value v;
    v.kind = ValueKind::Family, new (&v.family) sema::IndexedField*(&f);
    return v;
  }
  /// A List or a Range.
  static Value listed(ValueKind k, llvm::ArrayRef<Value> values) {
    Value v;
    v.kind = k, new (&v.list) llvm::ArrayRef<Value>(values);
    return v;
  }
  /// Missing or Absent.
  static Value missing(ValueKind k, llvm::StringRef what, sema::Object* in) {
    Value v;
    v.kind = k, v.object = in, new (&v.text) llvm::StringRef(what);
    return v;
  }
  /// Of a Number or a Result.
  const Dimension& dimension() const {
    return is(ValueKind::Result) ? figure.dimension : number.dimension;
  }
  static Value plain(ValueKind k) {
    Value v;
    v.kind = k;
    return v;
  }
  Value at(SourceRange r) const {
    Value v = *this;
    v.range = r;
    return v;
  }
};

} // namespace dpl::sema
