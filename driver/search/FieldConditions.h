#pragma once
//===- FieldConditions.h - Conditions of a search on its open fields --------------------------===//
#include "ir/Space.h"
#include "llvm/ADT/STLExtras.h"
#include <cstdint>
#include <optional>

namespace dpl::search {

/// Whether an expression reads a figure, not only fields.
bool readsFigures(const ir::Space& space, const ir::Assertion& expression);
/// The value that a path in an expression has for a candidate of an open field. None if it is the
/// path of another field, or of a part of this field.
std::optional<ir::ResultValue> valueAt(const ir::OpenField& field, llvm::StringRef path,
                                       const std::string& candidate);
/// Whether a path in an expression reads an open field or a part of it, as "layout.mesh.tensor"
/// reads `mesh`.
bool readsField(const ir::OpenField& field, llvm::StringRef path);
/// The value of an open field in an expression: a number, or the name of a choice without its
/// fields.
ir::ResultValue valueOfCandidate(const std::string& candidate);

/// The `require` conditions that read no figures. Each is evaluated once for each combination of
/// the fields that it reads.
class FieldConditions {
public:
  /// The space must outlive the conditions.
  explicit FieldConditions(const ir::Space& space);

  /// Whether it is known for each condition which fields it reads.
  bool areKnown() const { return known; }
  /// Whether a condition that reads this open field also reads fields that are not open.
  bool readsWithPlan(std::size_t field) const;
  /// The first condition that reads a field that is not open, and that a plan breaks; null if there
  /// is none. `ofPlan` must be the space of this plan's own candidate.
  const std::string* brokenBy(const ir::Space& ofPlan) const;
  /// The text of the first condition that a candidate breaks; null if there is none.
  const std::string* broken(std::uint64_t candidate);
  /// Whether a condition reads one of the fields that are marked.
  bool read(const std::vector<bool>& fields) const;
  /// The open fields that some condition reads together with one of these.
  std::vector<std::size_t> readWith(const std::vector<bool>& fields) const;
  /// The number of the candidate with the first value of each other field.
  std::uint64_t partOf(std::uint64_t candidate, llvm::ArrayRef<std::size_t> fields) const;
  /// The first condition that the candidate breaks and that reads none of these fields; null if
  /// there is none. Calls may run at the same time.
  const std::string* brokenWithout(const std::vector<bool>& fields, std::uint64_t candidate) const;
  /// The difference between the numbers of two candidates with successive values of an open field.
  std::uint64_t stride(std::size_t field) const { return strides[field]; }

private:
  struct Condition {
    const ir::Assertion& assertion;
    std::vector<std::size_t> fields; ///< indices of the open fields that it reads
    bool ofPlan = false;             ///< whether it also reads fields that are not open
    std::vector<char> results;       ///< result for each combination of their values: 0 not known,
                                     ///< 1 holds, 2 broken
  };
  std::uint64_t valueOf(std::uint64_t candidate, std::size_t field) const {
    return candidate / strides[field] % space.open[field].size();
  }
  bool isBroken(const Condition& condition, std::uint64_t candidate) const;

  const ir::Space& space;
  std::vector<std::uint64_t> strides; ///< `stride` by open field
  std::vector<Condition> all;
  bool known = true;
};

} // namespace dpl::search
