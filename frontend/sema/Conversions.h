#pragma once
//===- Conversions.h - Whether a value fits a type --------------------------------------------===//
#include "frontend/sema/Lookup.h"

namespace dpl::sema {

/// Elements first … first + count − 1 of a family by index, which are equal.
struct ElementRun {
  std::uint64_t first, count;
  Value value;
};
/// An element of a family by name.
struct ElementEntry {
  llvm::StringRef key;
  Value value;
  SourceRange range;
};

class Conversions : public Lookup {
public:
  using Lookup::Lookup;

  /// The value as the type wants it, or Poison after a message. `what` is the field's name.
  Value convert(const Value& value, const Type& type, llvm::StringRef what, SourceRange at,
                Object* owner);
  /// Items of what `for` runs over; nothing after a message.
  bool items(const Value& value, SourceRange at, std::vector<Value>& out);

protected:
  static constexpr std::int64_t itemLimit = 1'000'000;

  bool equal(const Value& a, const Value& b) const;
  /// The list that is the whole of one choice, where just one is: `split = [20, 20]` is that one.
  const FieldDecl* heldList(const Type& type);

  // What objects give, of which a conversion knows no more.
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
