#pragma once
//===- Space.h - What a search or a study varies, and what it wants ---------------------------===//
#include "ir/Assertion.h"
#include "support/OutOfLine.h"

namespace dpl::ir {

enum class SpaceKind : std::uint8_t { Search, Study };
/// What stays when a study changes the number of replicas.
enum class Scaling : std::uint8_t { FixedGlobalBatch, FixedPerWorkerBatch };
/// Which combinations of candidates are the points of a study: all, the first of each field with
/// one another and so on, or so many that are drawn from all.
enum class SamplingKind : std::uint8_t { Grid, Zip, Random };
/// How far ranks are told apart in simulated steps.
enum class SimulationLevel : std::uint8_t { Operation, Collective, Message };

/// A field with candidates, each a text that `--set` takes. A range is not written out.
struct OpenField {
  /// "mesh.tensor" below the searched layout; of a study from a block on, "grand.nodes".
  std::string path;
  std::vector<std::string> values; ///< in the order of candidates; empty for a range
  bool range = false;
  std::uint64_t first = 0, last = 0; ///< of a range, both included
  std::string unit;                  ///< of a range: "seq", or nothing
  std::uint64_t size() const { return range ? last - first + 1 : values.size(); }
  /// The candidate of that index, which is below `size()`.
  std::string at(std::uint64_t index) const;
  template <class V> void fields(V& v) {
    v("path", path), v("values", values), v("range", range), v("first", first), v("last", last);
    v("unit", unit);
  }
};

/// What is to be smallest, or largest: an expression over figures and fields of a candidate.
struct Objective {
  bool maximize = false;
  std::string source;               ///< as written, on one line
  std::vector<AssertionNode> nodes; ///< as those of an assertion
  template <class V> void fields(V& v) {
    v("maximize", maximize), v("source", source), v("node", nodes);
  }
};

/// A `let` of a study that is among its outputs: worked out at each point from figures and fields.
struct DerivedOutput {
  std::string name, dimension; ///< type name of the language; "" is a plain number
  Assertion value;             ///< its nodes give a number
  template <class V> void fields(V& v) {
    v("name", name), v("dimension", dimension), v("value", value);
  }
};

struct Sampling {
  SamplingKind kind = SamplingKind::Grid;
  std::uint64_t points = 0, seed = 1; ///< of random ones
  template <class V> void fields(V& v) { v("kind", kind), v("points", points), v("seed", seed); }
};

/// `plot = plot { x = …, y = …, series = … }` of a study; paths of fields and the name of a figure.
struct PlotRequest {
  std::string x, y, series; ///< empty when not given
  template <class V> void fields(V& v) { v("x", x), v("y", y), v("series", series); }
};

/// A `search layout`, whose plan has its first candidate, or a `study` of the plan's layout or of a
/// run that uses it. Candidates are the product of the open fields, the last one varying fastest.
/// It changes no figure of the plan, and no part of it is in the plan's hash.
///
/// In expressions a result "layout.mesh.tensor" is that field of the candidate, and the path of an
/// open field of a study is that. An expression that uses them in a way that nodes cannot say has
/// none: `source` is all there is.
struct Space {
  DPL_SPECIAL_MEMBERS(Space);
  std::string name; ///< of the block
  SpaceKind kind = SpaceKind::Search;
  std::vector<OpenField> open;
  std::vector<Assertion> constraints; ///< what removes a candidate, or has to hold for each
  // Of a search.
  std::vector<Objective> objectives; ///< by weight, the first first
  std::uint64_t keep = 1;            ///< how many of the best are kept
  // Of a study.
  std::string run; ///< name of its run, among Plan::runs; empty for a layout alone
  Sampling sampling;
  Scaling hold = Scaling::FixedGlobalBatch;
  std::vector<std::uint64_t> seeds; ///< in the order in which they are taken
  std::uint64_t steps = 1;          ///< simulated of each seed
  std::uint64_t draws = 1;          ///< of a run, of each seed
  double until = 0; ///< half width over mean at which no further seed is taken; 0: all are
  SimulationLevel level = SimulationLevel::Operation;
  /// Names of figures, "step_time.p99" of simulated steps, and of what is derived.
  std::vector<std::string> outputs;
  std::vector<DerivedOutput> derived;
  PlotRequest plot;

  /// How many combinations there are; 2^64 - 1 when there are more.
  std::uint64_t candidates() const;
  const DerivedOutput* derivedNamed(llvm::StringRef output) const;
  /// How many of them a study takes.
  std::uint64_t points() const;

  template <class V> void fields(V& v) {
    v("name", name), v("kind", kind), v("open", open), v("constraint", constraints);
    v("objective", objectives), v("keep", keep), v("run", run);
    v("sampling", sampling), v("scaling", hold), v("seeds", seeds), v("steps", steps);
    v("draws", draws);
    v("target_half_width", until), v("level", level), v("outputs", outputs);
    v("derived", derived), v("plot", plot);
  }
};

} // namespace dpl::ir
