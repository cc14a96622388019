#pragma once
//===- Space.h - The space and the objective of a search or study -----------------------------===//
#include "ir/Assertion.h"
#include "support/OutOfLine.h"

namespace dpl::ir {

enum class SpaceKind : std::uint8_t { Search, Study };
/// The quantity that stays fixed when a study changes the number of replicas.
enum class Scaling : std::uint8_t { FixedGlobalBatch, FixedPerWorkerBatch };
/// The combinations of candidates that are points of a study: all, the i-th candidates of all
/// fields together, or random ones.
enum class SamplingKind : std::uint8_t { Grid, Zip, Random };
/// Whether simulated steps treat groups, devices or messages one by one.
enum class SimulationLevel : std::uint8_t { Operation, Collective, Message };

/// A field with candidates, each a text for `--set`. A range is not expanded.
struct OpenField {
  /// "mesh.tensor" inside the searched layout; in a study with the block's name, "grand.nodes".
  std::string path;
  bool otherBlock = false; ///< whether the path of a search names another block, "pod.nodes"
  std::vector<std::string> values; ///< candidates in order; empty for a range
  bool range = false;
  std::uint64_t first = 0, last = 0; ///< ends of a range, inclusive
  std::string unit;                  ///< unit of a range: "seq", or empty
  std::uint64_t size() const { return range ? last - first + 1 : values.size(); }
  /// The candidate with this index, which is below `size()`.
  std::string at(std::uint64_t index) const;
  template <class V> void fields(V& v) {
    v("path", path), v("other_block", otherBlock), v("values", values), v("range", range);
    v("first", first), v("last", last), v("unit", unit);
  }
};

/// An objective: an expression over figures and fields of a candidate.
struct Objective {
  bool maximize = false;
  std::string source;               ///< expression as written, on one line
  std::vector<AssertionNode> nodes; ///< nodes of the expression, as in an assertion
  template <class V> void fields(V& v) {
    v("maximize", maximize), v("source", source), v("node", nodes);
  }
};

/// A `let` of a study among its outputs, computed at each point from figures and fields.
struct DerivedOutput {
  std::string name, dimension; ///< type name of the language; "" for a plain number
  Assertion value;             ///< expression with a numeric value
  template <class V> void fields(V& v) {
    v("name", name), v("dimension", dimension), v("value", value);
  }
};

struct Sampling {
  SamplingKind kind = SamplingKind::Grid;
  std::uint64_t points = 0, seed = 1; ///< for random sampling
  template <class V> void fields(V& v) { v("kind", kind), v("points", points), v("seed", seed); }
};

/// `plot = plot { x = …, y = …, series = … }` of a study: paths of fields and the name of a figure.
struct PlotRequest {
  std::string x, y, series; ///< empty if not set
  template <class V> void fields(V& v) { v("x", x), v("y", y), v("series", series); }
};

/// A `search layout`, whose plan has its first candidate, or a `study` of the plan's layout or of a
/// run that uses it. Candidates are the product of the open fields; the last one varies fastest.
/// The block changes no figure of the plan, and is not part of the plan's hash.
///
/// In expressions a result "layout.mesh.tensor" is this field of the candidate, and the path of an
/// open field of a study is the field's value. If nodes cannot express such a use, the expression
/// has only its `source`.
struct Space {
  DPL_SPECIAL_MEMBERS(Space);
  std::string name; ///< name of the block
  SpaceKind kind = SpaceKind::Search;
  std::vector<OpenField> open;
  /// Fields of other blocks in `worst_of` of a search. Each candidate is judged with all their
  /// combinations, and an objective is the worst of its values.
  std::vector<OpenField> worstOf;
  /// Conditions that exclude a candidate, or that each one must fulfil.
  std::vector<Assertion> constraints;
  // Fields of a search.
  std::vector<Objective> objectives; ///< objectives from most to least important
  /// Whether the objectives are equally important, so that the result is their Pareto front.
  bool pareto = false;
  std::uint64_t keep = 1; ///< number of best candidates to keep
  // Fields of a study.
  std::string run; ///< name of its run in Plan::runs; empty for a layout alone
  Sampling sampling;
  Scaling hold = Scaling::FixedGlobalBatch;
  std::vector<std::uint64_t> seeds; ///< seeds in the order of use
  std::uint64_t steps = 1;          ///< simulated steps per seed
  std::uint64_t draws = 1;          ///< simulated runs per seed
  double until = 0; ///< relative half width at which no further seed is used; 0: use all
  SimulationLevel level = SimulationLevel::Operation;
  /// Names of figures, such as "step_time.p99" for simulated steps, and of derived outputs.
  std::vector<std::string> outputs;
  std::vector<DerivedOutput> derived;
  PlotRequest plot;

  /// Number of combinations; 2^64 - 1 if there are more.
  std::uint64_t candidates() const;
  /// Number of combinations of `worstOf`, at least 1.
  std::uint64_t settings() const;
  const DerivedOutput* derivedNamed(llvm::StringRef output) const;
  /// Number of combinations that a study uses.
  std::uint64_t points() const;

  template <class V> void fields(V& v) {
    v("name", name), v("kind", kind), v("open", open), v("worst_of", worstOf);
    v("constraint", constraints), v("objective", objectives);
    v("pareto", pareto), v("keep", keep), v("run", run);
    v("sampling", sampling), v("scaling", hold), v("seeds", seeds), v("steps", steps);
    v("draws", draws);
    v("target_half_width", until), v("level", level), v("outputs", outputs);
    v("derived", derived), v("plot", plot);
  }
};

} // namespace dpl::ir
