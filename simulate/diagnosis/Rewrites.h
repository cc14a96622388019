#pragma once
//===- Rewrites.h - What each rewrite of communication is worth to a layout ----------------===//
#include "simulate/diagnosis/Changes.h"
#include "support/Json.h"
#include "llvm/ADT/ArrayRef.h"

namespace dpl::diagnosis {

/// What a layout can do to its collectives, with the field that does it.
struct Rewrite {
  const char* key;   ///< of JSON
  const char* words; ///< what it makes of what
  const char* field; ///< as a line of the layout that has it, or its begin where a value follows
  bool (*applies)(const ir::Plan& plan);
  bool (*on)(const ir::Plan& plan);
  void (*apply)(ir::Layout& layout, bool on);
};
llvm::ArrayRef<Rewrite> rewrites();

/// Collectives of a purpose and kind on the pipeline rank that sets the step of the plan as it is,
/// or where that has none on the one that sends most.
struct CollectiveTraffic {
  std::string path;            ///< "communication[data].gradients.all_reduce"
  double count = 0, bytes = 0; ///< all of them together, over links of any level
};

/// The step without it and with it, seconds.
struct Rewritten {
  const Rewrite* rewrite = nullptr;
  bool on = false;       ///< the layout has it
  std::string field;     ///< the line that turns it on
  bool otherFits = true; ///< what the layout is not, with it or without
  double without = 0, with = 0;
  AcceptingTargets acceptedBy{};                    ///< of a rewrite that the layout has not
  std::vector<CollectiveTraffic> before{}, after{}; ///< what differs
  double share() const { return without > 0 ? 1 - with / without : 0; }
};

/// Of a size of gradient buckets the step, seconds; 0 bytes are those of a layer.
struct BucketStep {
  std::uint64_t bytes = 0;
  double step = 0;
};

struct RewriteTable {
  double step = 0; ///< as the layout is
  std::vector<Rewritten> rows;
  std::vector<BucketStep> buckets; ///< powers of two between a quarter of a layer and all of them
};
/// All that the layout can have, that is legal and that its framework runs, whether it fits or not;
/// of sizes of buckets those that fit. Relies on: a complete plan.
RewriteTable rewritesOf(const ir::Plan& plan);

std::string rewritesText(const ir::Plan& plan, const RewriteTable& table, unsigned width);
Json rewritesJson(const RewriteTable& table);

} // namespace dpl::diagnosis
