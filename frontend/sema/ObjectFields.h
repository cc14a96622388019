#pragma once
//===- ObjectFields.h - Typed reads of an object, for the lowering
//-----------------------------===//
//
// A read that fails was reported (once, where the mistake is) and gives a zero; the reader asks
// `failed()` once at its end. "not yet given" is reported with what `neededBy` says.
#include "frontend/sema/Value.h"
#include <string>
#include <vector>

namespace dpl::sema {

class Evaluator;

/// One axis of a mesh as written.
struct AxisField {
  llvm::StringRef name; ///< "pipeline", "expert"
  bool rest = false;
  std::uint64_t size = 1;         ///< 0 with rest
  llvm::StringRef within, across; ///< names of levels; empty when not placed
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

  /// The name of the block: "llama70b"; empty for a nested one.
  llvm::StringRef name() const;
  /// Whether the object's schema is `schema` or derives from it.
  bool isA(llvm::StringRef schema) const;
  /// "decoder": the schema's name.
  llvm::StringRef kind() const;
  /// Some read through this or a nested reader failed.
  bool failed() const { return *anyFailed; }

  /// Whether an optional field has a value; a field of another type always has.
  bool has(llvm::StringRef field) const;
  bool isAuto(llvm::StringRef field) const; ///< `mesh = auto`
  /// Whether the file sets the field somewhere, so that it is not the schema's default.
  bool isSet(llvm::StringRef field) const;
  /// Whether neither the file nor its framework sets the field.
  bool isOpen(llvm::StringRef field) const;
  /// Where the value that the field has was given: for the ranges of the plan.
  SourceRange range(llvm::StringRef field) const;

  Value value(llvm::StringRef field) const; ///< checked against the field's type
  bool flag(llvm::StringRef field) const;
  std::string text(llvm::StringRef field) const;
  std::string symbol(llvm::StringRef field) const; ///< the path of a field, the name of a figure
  std::uint64_t count(llvm::StringRef field) const;
  double real(llvm::StringRef field) const;
  Number number(llvm::StringRef field) const;
  /// Whole base units; a fraction of one is rounded to the nearest.
  std::uint64_t bytes(llvm::StringRef field) const;
  std::uint64_t picoseconds(llvm::StringRef field) const;
  std::uint64_t bitsPerSecond(llvm::StringRef field) const;
  /// The number of a field in base units (tokens, FLOP, FLOP/s, sequences …) as a whole number.
  std::uint64_t whole(llvm::StringRef field) const;

  /// "interleaved_1f1b"; its fields by `object`. Empty when it failed.
  llvm::StringRef choice(llvm::StringRef field) const;
  /// Fields of a nested object or of the chosen member (which may have none).
  ObjectFields object(llvm::StringRef field) const;
  std::vector<std::string> names(llvm::StringRef field) const;    ///< of a list of choices or names
  std::vector<std::uint64_t> counts(llvm::StringRef field) const; ///< of a list of counts
  /// Entries of a map in the order written. `value` is checked; `fields` is set for objects.
  std::vector<FieldsEntry> entries(llvm::StringRef field) const;
  /// A family by index as runs of equal elements, in order, from 0 without a gap.
  std::vector<FieldsRun> runs(llvm::StringRef field) const;
  /// Of a `mesh` (or its `experts`): the axes that are set, outermost first as written.
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

/// `count` consecutive elements whose fields are given by the same texts.
struct ObjectFields::FieldsRun {
  std::uint64_t first = 0, count = 0;
  ObjectFields fields;
};

} // namespace dpl::sema
