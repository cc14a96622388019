#pragma once
//===- Conversions.h - Converts values to types -----------------------------------------------===//
#include "frontend/sema/Lookup.h"

namespace dpl::sema {

/// Equal elements of a family with indices, from `first` on.
struct ElementRun {
  std::uint64_t first, count;
  Value value;
};
/// An element of a family whose indices are names.
struct ElementEntry {
  llvm::StringRef key;
  Value value;
  SourceRange range;
};

class Conversions : public Lookup {
public:
  using Lookup::Lookup;

  /// Converts a value to a type. Returns Poison after an error was reported. `what` is the name of
  /// the field.
  Value convert(const Value& value, const Type& type, llvm::StringRef what, SourceRange at,
                Object* owner);
  /// The items over which a `for` runs. False after an error was reported.
  bool items(const Value& value, SourceRange at, std::vector<Value>& out);

protected:
  static constexpr std::int64_t itemLimit = 1'000'000;

  bool equal(const Value& a, const Value& b) const;
  /// The choice with a list, if only one choice has a single field and this is a list. `split =
  /// [20, 20]` then means that choice.
  const FieldDecl* heldList(const Type& type);

  // Operations on objects, which the derived class implements.
  virtual ~Conversions() = default;
  virtual Object& instance(const Schema& schema, const ChoiceSchema* member, Object* parent,
                           SourceRange at) = 0;
  virtual bool runs(IndexedField& family, std::vector<ElementRun>& out) = 0;
  virtual std::vector<ElementEntry> entries(IndexedField& family) = 0;

private:
  Value convertNumber(const Value& value, const Type& type, llvm::StringRef what, SourceRange at);
  Value convertToSchema(const Value& value, const Type& type, llvm::StringRef what, SourceRange at,
                        Object* owner);
  Value wrongType(const Value& value, const Type& type, llvm::StringRef what, SourceRange at);
};

} // namespace dpl::sema
