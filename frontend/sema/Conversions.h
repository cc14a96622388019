#pragma once
//===- Conversions.h - Converts values to types -----------------------------------------------===//
#include "frontend/sema/Lookup.h"

namespace dpl::sema {

/// Equal elements first … first + count − 1 of a family with indices.
struct ElementRun {
  std::uint64_t first, count;
  Value value;
};
/// An element of a family with names.
struct ElementEntry {
  llvm::StringRef key;
  Value value;
  SourceRange range;
};

class Conversions : public Lookup {
public:
  using Lookup::Lookup;

  /// Converts the value to the type, or returns Poison after a report. `what` is the field's name.
  Value convert(const Value& value, const Type& type, llvm::StringRef what, SourceRange at,
                Object* owner);
  /// The items for a `for`; false after a report.
  bool items(const Value& value, SourceRange at, std::vector<Value>& out);

protected:
  static constexpr std::int64_t itemLimit = 1'000'000;

  bool equal(const Value& a, const Value& b) const;
  /// The only choice whose only field is a list, so that `split = [20, 20]` means that choice.
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
