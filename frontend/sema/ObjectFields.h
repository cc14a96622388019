#pragma once
//===- ObjectFields.h - Typed reads of an object's fields, for the lowering -------------------===//
//
// A read that fails was reported once, at the error, and returns zero. The reader checks `failed()`
// at its end. Reports of missing fields name `neededBy`.
#include "frontend/sema/Value.h"
#include <string>
#include <vector>

namespace dpl::sema {

class Evaluator;

/// An axis of a mesh as written.
struct AxisField {
  llvm::StringRef name; ///< "pipeline", "expert"
  bool rest = false;
  std::uint64_t size = 1;         ///< 0 for `rest`
  llvm::StringRef within, across; ///< level names; empty if not placed
  SourceRange range;
};

class ObjectFields {
public:
  struct FieldsRun;
  struct FieldsEntry;
  ObjectFields() = default;
  ObjectFields(Evaluator& evaluator, Object& object, bool& anyFailed, std::string neededBy)
      : evaluator(&evaluator), object_(&object), anyFailed(&anyFailed),
        neededBy(std::move(neededBy)) {}

  /// The name of the block, "llama70b"; empty for a nested object.
  llvm::StringRef name() const;
  /// Whether the object's schema is `schema` or derives from it.
  bool isA(llvm::StringRef schema) const;
  /// The name of the schema: "decoder".
  llvm::StringRef kind() const;
  /// Whether a read by this or a nested reader failed.
  bool failed() const { return *anyFailed; }

  /// Whether an optional field has a value; true for all other fields.
  bool has(llvm::StringRef field) const;
  bool isAuto(llvm::StringRef field) const; ///< whether it is `auto`
  /// Whether a level except the framework sets the field: the block, a base, a fragment or `--set`.
  bool isSet(llvm::StringRef field) const;
  /// Whether no level sets the field, so that it has the schema's default.
  bool isOpen(llvm::StringRef field) const;
  /// The place of the field's setting, for the ranges of the plan.
  SourceRange range(llvm::StringRef field) const;

  Value value(llvm::StringRef field) const; ///< value, checked against its type
  bool flag(llvm::StringRef field) const;
  std::string text(llvm::StringRef field) const;
  std::string symbol(llvm::StringRef field) const; ///< path of a field, or name of a figure
  std::uint64_t count(llvm::StringRef field) const;
  double real(llvm::StringRef field) const;
  Number number(llvm::StringRef field) const;
  /// The value in whole base units, rounded to the nearest.
  std::uint64_t bytes(llvm::StringRef field) const;
  std::uint64_t picoseconds(llvm::StringRef field) const;
  std::uint64_t bitsPerSecond(llvm::StringRef field) const;
  /// The value in base units (tokens, FLOP, FLOP/s, sequences …) as a whole number.
  std::uint64_t whole(llvm::StringRef field) const;

  /// The name of a choice, "interleaved_1f1b"; empty after an error. `object` reads its fields.
  llvm::StringRef choice(llvm::StringRef field) const;
  /// The fields of a nested object or of the choice, which may have none.
  ObjectFields object(llvm::StringRef field) const;
  std::vector<std::string> names(llvm::StringRef field) const;    ///< list of choices or names
  std::vector<std::uint64_t> counts(llvm::StringRef field) const; ///< list of counts
  /// Entries of a map in written order. `value` is checked; `fields` is set for objects.
  std::vector<FieldsEntry> entries(llvm::StringRef field) const;
  /// A family with indices as runs of equal elements, from 0 without gaps.
  std::vector<FieldsRun> runs(llvm::StringRef field) const;
  /// The axes of a `mesh` (or its `experts`) that are set, outermost first as written.
  std::vector<AxisField> axes() const;

  Object* raw() const { return object_; }

private:
  Value read(llvm::StringRef field, Value::ValueKind wanted) const;
  std::uint64_t scaled(llvm::StringRef field, std::int64_t factor) const;
  Evaluator* evaluator = nullptr;
  Object* object_ = nullptr;
  bool* anyFailed = nullptr;
  std::string neededBy;
};

struct ObjectFields::FieldsEntry {
  std::string key;
  Value value;
  ObjectFields fields;
  SourceRange range;
};

/// `count` consecutive elements with the same settings.
struct ObjectFields::FieldsRun {
  std::uint64_t first = 0, count = 0;
  ObjectFields fields;
};

} // namespace dpl::sema
