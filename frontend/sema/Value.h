#pragma once
//===- Value.h - Value of an expression of the language ---------------------------------------===//
#include "support/Number.h"
#include "support/SourceManager.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace dpl::sema {

class IndexedField;
class Object;
struct ChoiceSchema;
struct Schema;

/// A value, which is small and can be copied. What it refers to lives as long as the compilation.
struct Value {
  enum class ValueKind : std::uint8_t {
    Poison,  ///< an error was reported, so no further error is reported about it
    Missing, ///< a required field without a value; `object` and `text` say which
    Absent,  ///< an optional field without a value
    Bool,
    Number,
    String,
    Choice, ///< choice of a schema; `object` has its fields, or is null if it has none
    Symbol, ///< name of a figure, axis or field, where such a name is expected
    List,
    Range, ///< range; `list` is its first and last value, both included; empty if last < first
    Object,
    Family,
    Rest,
    Auto,
    Result ///< figure, which compiler passes compute
  };
  struct FigureValue {
    llvm::StringRef path; ///< path of the figure; empty if the value is computed from figures
    Dimension dimension;
  };
  ValueKind kind = ValueKind::Poison;
  bool truth = false;
  SourceRange range; ///< place of the expression that has the value
  sema::Object* object = nullptr;
  const Schema* schema = nullptr; ///< schema of a Choice, or of an Auto
  // The union saves memory, because a compilation has a value for each field of each block.
  union {
    dpl::Number number;         ///< value of a Number; first, because it is the default member
    llvm::StringRef text;       ///< text of a String, Symbol, Missing or Absent
    FigureValue figure;         ///< figure of a Result
    const ChoiceSchema* member; ///< choice of a Choice
    sema::IndexedField* family;
    llvm::ArrayRef<Value> list; ///< values of a List or Range
  };

  Value() : number() {}

  /// Whether two values are interchangeable: they are equal and written at the same place.
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
  /// Whether the value is Poison or Missing. It then cannot be used in a computation, and no
  /// further error is reported.
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
  /// Makes a List or a Range.
  static Value listed(ValueKind k, llvm::ArrayRef<Value> values) {
    Value v;
    v.kind = k, new (&v.list) llvm::ArrayRef<Value>(values);
    return v;
  }
  /// Makes a Missing or an Absent.
  static Value missing(ValueKind k, llvm::StringRef what, sema::Object* in) {
    Value v;
    v.kind = k, v.object = in, new (&v.text) llvm::StringRef(what);
    return v;
  }
  /// The dimension of a Number or a Result.
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
