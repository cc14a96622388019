#pragma once
//===- MeshRequest.h - The degrees and the order of axes in a layout --------------------------===//
#include "ir/Basics.h"
#include <vector>

namespace dpl::ir {

/// The degree of an axis as a layout writes it: `pipeline = 8`, `data = rest`, `tensor = 8 within
/// domain`.
struct AxisRequest {
  Axis axis = Axis::Data;
  std::uint64_t size = 1; ///< degree; 0 with `rest`
  bool rest = false;
  bool given = true; ///< false for a schema default
  bool hasWithin = false, hasAcross = false;
  Level within = Level::Cluster, across = Level::Cluster;
  SourceRange range; ///< not printed
  template <class V> void fields(V& v) {
    v("axis", axis), v("size", size), v("rest", rest), v("given", given);
    v("has_within", hasWithin), v("within", within), v("has_across", hasAcross),
        v("across", across);
  }
};

/// Fields other than the degrees that neither the file nor its framework sets, so that `mesh =
/// auto` varies them: `split`, `recompute` and the ZeRO stage.
struct OpenFields {
  bool split = false, recompute = false, stage = false;
  template <class V> void fields(V& v) {
    v("split", split), v("recompute", recompute), v("stage", stage);
  }
};

/// The mesh as a layout writes it: a size for each axis, or `auto`.
struct MeshRequest {
  bool automatic = false;        ///< `mesh = auto`
  OpenFields open;               ///< only set for an automatic mesh
  std::vector<AxisRequest> axes; ///< outermost first, as written; omitted axes have size 1
  bool hasExperts = false;
  std::vector<AxisRequest> experts; ///< ExpertData, Expert, ExpertTensor, each once
  SourceRange range;
  template <class V> void fields(V& v) {
    v("automatic", automatic);
    if (automatic)
      v("open", open);
    v("axis", axes), v("has_experts", hasExperts), v("expert_axis", experts);
  }
};

} // namespace dpl::ir
