#pragma once
//===- Rewrites.h - The savings of each communication rewrite of a layout ---------------------===//
#include "simulate/diagnosis/Changes.h"
#include "support/Json.h"
#include "llvm/ADT/ArrayRef.h"

namespace dpl::diagnosis {

/// A change of the way in which a layout communicates, and the field that enables it.
struct Rewrite {
  const char* key;   ///< key of the rewrite in JSON
  const char* words; ///< the rewrite in words
  const char* field; ///< line of the layout that enables it, or its beginning if a value follows
  bool (*applies)(const ir::Plan& plan);
  bool (*on)(const ir::Plan& plan);
  void (*apply)(ir::Layout& layout, bool on);
};
llvm::ArrayRef<Rewrite> rewrites();

/// The collectives of one purpose and kind, on the pipeline rank that sets the step time. If that
/// rank has none, those of the rank that sends most.
struct CollectiveTraffic {
  std::string path;            ///< path of the figure, such as
                               ///< "communication[data].gradients.all_reduce"
  double count = 0, bytes = 0; ///< number of collectives, and bytes over links of all levels
};

/// The step times with and without a rewrite, in seconds.
struct Rewritten {
  const Rewrite* rewrite = nullptr;
  bool on = false;       ///< whether the layout already has the rewrite
  std::string field;     ///< line of the layout that enables it
  bool otherFits = true; ///< whether the other variant fits in memory
  double without = 0, with = 0;
  AcceptingTargets acceptedBy{};                    ///< targets that accept the rewrite, if the
                                                    ///< layout does not have it
  std::vector<CollectiveTraffic> before{}, after{}; ///< collectives that differ
  double share() const { return without > 0 ? 1 - with / without : 0; }
};

/// The step time in seconds for one size of gradient buckets. The size 0 means one bucket per
/// layer.
struct BucketStep {
  std::uint64_t bytes = 0;
  double step = 0;
};

struct RewriteTable {
  double step = 0; ///< step time of the unchanged layout, in seconds
  std::vector<Rewritten> rows;
  std::vector<BucketStep> buckets; ///< step times for sizes that are powers of two, from a quarter
                                   ///< of a layer to all layers
};
/// All legal rewrites that the framework runs, including those that do not fit in memory. Bucket
/// sizes are listed only if they fit. Relies on: a complete plan.
RewriteTable rewritesOf(const ir::Plan& plan);

std::string rewritesText(const ir::Plan& plan, const RewriteTable& table, unsigned width);
Json rewritesJson(const RewriteTable& table);

} // namespace dpl::diagnosis
