#pragma once
//===- PlanTable.h - Results of plans that were judged before ---------------------------------===//
#include "tools/dplc/lsp/PlanResult.h"
#include <list>
#include <unordered_map>

namespace dpl::tool {

/// Keeps the results of the latest plans by the hash of their input, so that an edit runs the
/// passes of the plans that it changes only.
class PlanTable {
public:
  /// The result of a plan with this key, with the ranges of `plan`; null if it is not known.
  std::shared_ptr<const PlanResult> find(std::uint64_t key, const ir::Plan& plan);
  void add(std::uint64_t key, std::shared_ptr<const PlanResult> result);

private:
  using Entry = std::pair<std::uint64_t, std::shared_ptr<const PlanResult>>;
  std::list<Entry> entries; ///< the latest first
  std::unordered_map<std::uint64_t, std::list<Entry>::iterator> byKey;
};

} // namespace dpl::tool
