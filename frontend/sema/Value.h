#pragma once
//===- Value.h - What an expression of the language comes to ----------------------------------===//
#include "support/Number.h"
#include "support/SourceManager.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace dpl::sema {

class Family;
class Object;
struct Member;
struct Schema;

/// A small value, copied freely; what it points to lives as long as the compilation.
struct Value {
  enum class Kind : std::uint8_t {
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
    Result ///< a figure that the passes compute; `text` is its path
  };
  Kind kind = Kind::Poison;
  bool truth = false;
  SourceRange range; ///< the expression that gave it
  dpl::Number number;
  llvm::StringRef text;           ///< of a String, Symbol, Result, Missing
  const Schema* schema = nullptr; ///< of a Choice
  const Member* member = nullptr; ///< of a Choice
  sema::Object* object = nullptr;
  sema::Family* family = nullptr;
  llvm::ArrayRef<Value> list;

  bool is(Kind k) const { return kind == k; }
  bool poison() const { return kind == Kind::Poison; }
  /// Poison, or not yet given: nothing can be computed from it, and nothing is to be said about it
  /// here.
  bool unknown() const { return kind == Kind::Poison || kind == Kind::Missing; }

  static Value of(bool b) {
    Value v;
    v.kind = Kind::Bool, v.truth = b;
    return v;
  }
  static Value of(const dpl::Number& n) {
    Value v;
    v.kind = Kind::Number, v.number = n;
    return v;
  }
  static Value count(Rational n) {
    dpl::Number x;
    x.value = n;
    return of(x);
  }
  static Value string(llvm::StringRef s) {
    Value v;
    v.kind = Kind::String, v.text = s;
    return v;
  }
  static Value symbol(llvm::StringRef s) {
    Value v;
    v.kind = Kind::Symbol, v.text = s;
    return v;
  }
  static Value plain(Kind k) {
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
