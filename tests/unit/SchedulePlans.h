#pragma once
//===- SchedulePlans.h - Plans whose schedules are worth drawing ------------------------------===//
#include "tests/unit/CompiledPlan.h"

namespace dpl::test {

/// On the eight devices of a node.
ir::Plan planOf(const std::string& mesh, const std::string& rest, const char* batch = "32seq");
/// A pipeline with calls on several streams.
ir::Plan manyStreams();
/// Two chunks a rank of a model whose experts are divided, in pairs that run merged.
ir::Plan mergedPairs(const std::string& schedule,
                     const std::string& rest = "  overlap.experts = true\n");

ir::ScheduledAction operation(ir::ActionKind kind, std::uint16_t chunk, std::uint32_t microBatch);
/// Every kind of operation, on two chunks of two ranks; each takes 1 ms, rank 1 begins 1 ms later.
ir::Plan everyKind();

} // namespace dpl::test
