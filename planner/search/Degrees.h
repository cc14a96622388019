#pragma once
//===- Degrees.h - Fields of a layout that a search varies as numbers -------------------------===//
#include "cost/legality/LayoutCandidate.h"
#include "ir/Plan.h"
#include <optional>

namespace dpl::planner {

/// A field of a layout that a LayoutCandidate holds. The front end lowers the field to one number.
/// Other parts of a plan depend on it only if an expression of the file reads it.
enum class Degree : std::uint8_t {
  Pipeline,
  Data,
  Context,
  Tensor,
  ExpertData,
  Expert,
  ExpertTensor,
  MicroBatch,
  Sequence ///< `shard.sequence`: 0 for `none`, 1 for `tensor`
};

/// The number that stands for `rest` as the degree of an axis.
constexpr std::uint64_t restDegree = UINT64_MAX;

/// The degree of a path such as "mesh.tensor" or "micro_batch"; none for other fields.
std::optional<Degree> degreeNamed(llvm::StringRef path);
/// The value of a degree in a layout; none if it is not a number, or if the layout lacks the axis.
std::optional<std::uint64_t> numberOf(const ir::Layout& layout, Degree degree);
/// Writes a number into a layout that has a value for this degree.
void writeNumber(ir::Layout& layout, Degree degree, std::uint64_t number);

/// An open field whose values are numbers: one number, or those of a whole mesh.
struct DegreeField {
  std::vector<Degree> degrees;
  std::vector<std::vector<std::uint64_t>> values; ///< numbers by value, each parallel to `degrees`
  std::uint64_t stride = 1;                       ///< distance between the numbers of candidates
                                                  ///< with successive values

  /// Writes a value into a layout that has these degrees.
  void write(std::size_t value, ir::Layout& layout) const {
    for (std::size_t i = 0; i < degrees.size(); ++i)
      writeNumber(layout, degrees[i], values[value][i]);
  }
};

/// A candidate with `rest` resolved.
struct ResolvedCandidate {
  cost::LayoutCandidate candidate;
  /// Number of the reason, other than the rules of cost/legality, for which the passes refuse the
  /// candidate; 0 if there is none.
  unsigned broken = 0;
  /// Whether the candidate is unknown: a degree is 0, or `rest` is not a whole number.
  bool unresolved = false;
};

/// The candidate that resolve-mesh makes of a layout on `devices` devices.
ResolvedCandidate resolve(const ir::Layout& layout, std::uint64_t devices, bool experts);

/// Writes every axis of the mesh into the layout, so that each has a number. False, without change,
/// if the mesh is not in the standard order, places axes, or is illegal.
bool nameAllAxes(ir::Layout& layout, std::uint64_t devices, bool experts);

/// Whether each mesh of the layout has the order of `mesh = auto`, whatever its sizes, and no
/// replicas.
bool hasStandardOrder(const ir::Layout& layout);

} // namespace dpl::planner
