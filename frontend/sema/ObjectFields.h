#pragma once
//===- ObjectFields.h - Typed reads of an object's fields, for the lowering -------------------===//
//
// A read that fails returns zero, and its error was reported once, where it is. The caller checks
// `failed()` when it has read all fields. Reports of missing fields name `neededBy`.
#include "frontend/sema/Value.h"
#include <string>
#include <vector>

namespace dpl::sema {

class Evaluator;

/// An axis of a mesh as the file writes it.
struct AxisField {
  llvm::StringRef name; ///< name of the axis: "pipeline", "expert"
  bool rest = false;
  std::uint64_t size = 1;         ///< 0 for `rest`
  llvm::StringRef within, across; ///< names of levels; empty if the axis is not placed
  SourceRange range;
};

class ObjectFields {
public:
  struct FieldsRun;
  struct FieldsEntry;
  ObjectFields() = default;
  ObjectFields(Evaluator& evaluator, Object& object, bool& anyFailed, std::string neededBy)
      : evaluator(&evaluator), block(&object), anyFailed(&anyFailed),
        neededBy(std::move(neededBy)) {}

  /// The name of the block: "llama70b". Empty for a nested object.
  llvm::StringRef name() const;
  /// Whether the object's schema is `schema` or derives from it.
  bool isA(llvm::StringRef schema) const;
  /// The name of the schema: "decoder".
  llvm::StringRef kind() const;
  /// Whether a read by this object or by one of its nested objects has failed.
  bool failed() const { return *anyFailed; }

  /// Whether an optional field has a value. True for every field that is not optional.
  bool has(llvm::StringRef field) const;
  bool isAuto(llvm::StringRef field) const; ///< whether it is `auto`
  /// Whether a level other than the framework sets the field: the block, a base, a fragment or
  /// `--set`.
  bool isSet(llvm::StringRef field) const;
  /// Whether no level sets the field, so that it has its default.
  bool isOpen(llvm::StringRef field) const;
  /// The place of the setting of a field, for the ranges of the plan.
  SourceRange range(llvm::StringRef field) const;

  Value value(llvm::StringRef field) const; ///< value, checked against its type
  bool flag(llvm::StringRef field) const;
  std::string text(llvm::StringRef field) const;
  std::string symbol(llvm::StringRef field) const; ///< path of a field, or name of a figure
  std::uint64_t count(llvm::StringRef field) const;
  double real(llvm::StringRef field) const;
  Number number(llvm::StringRef field) const;
  /// The value in base units, rounded to a whole number.
  std::uint64_t bytes(llvm::StringRef field) const;
  std::uint64_t picoseconds(llvm::StringRef field) const;
  std::uint64_t bitsPerSecond(llvm::StringRef field) const;
  /// The value in base units (tokens, FLOP, FLOP/s, sequences …), which must be a whole number.
  std::uint64_t whole(llvm::StringRef field) const;

  /// The name of the chosen choice: "interleaved_1f1b". Empty after an error. Its fields are read
  /// by `object`.
  llvm::StringRef choice(llvm::StringRef field) const;
  /// The fields of a nested object, or of a choice, which may have none.
  ObjectFields object(llvm::StringRef field) const;
  std::vector<std::string> names(llvm::StringRef field) const;    ///< list of choices or names
  std::vector<std::uint64_t> counts(llvm::StringRef field) const; ///< list of counts
  /// The entries of a map in the order of the file. `value` is checked. `fields` is set for entries
  /// that are objects.
  std::vector<FieldsEntry> entries(llvm::StringRef field) const;
  /// The elements of a family with indices, as runs of equal elements from index 0 on, without
  /// gaps.
  std::vector<FieldsRun> runs(llvm::StringRef field) const;
  /// The axes that a `mesh` (or its `experts`) sets, outermost first, as the file writes them.
  std::vector<AxisField> axes() const;

  Object* raw() const { return block; }

private:
  Value read(llvm::StringRef field, Value::ValueKind wanted) const;
  std::uint64_t scaled(llvm::StringRef field, std::int64_t factor) const;
  Evaluator* evaluator = nullptr;
  Object* block = nullptr;
  bool* anyFailed = nullptr;
  std::string neededBy;
};

struct ObjectFields::FieldsEntry {
  std::string key;
  Value value;
  ObjectFields fields;
  SourceRange range;
};

/// Consecutive elements with equal settings; `count` is their number.
struct ObjectFields::FieldsRun {
  std::uint64_t first = 0, count = 0;
  ObjectFields fields;
};

} // namespace dpl::sema
