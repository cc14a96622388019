//===- CheckCompression.cpp - Checks the gradient compression of a layout ---------------------===//
#include "ir/Names.h"
#include "passes/CheckLayout.h"
#include "support/diagnostics/Layout.h"
#include "llvm/ADT/STLExtras.h"
#include <fmt/format.h>

using namespace dpl;
using ir::CompressionKind;

namespace {
/// Why a plan has no gradients that can be compressed in this way; empty if it has some.
std::string whyNothing(const ir::Plan& plan, CompressionKind kind) {
  const bool sharded = plan.layout.shard.stage() > 0,
             replicas = plan.mesh.size(ir::Axis::Replica) > 1;
  if (!replicas && plan.stateRanks() < 2)
    return "one data rank reduces nothing";
  if (sharded && !replicas && kind != CompressionKind::Quantised)
    return fmt::format("sharded gradients are reduce-scattered, which `{}` does not support",
                       ir::name(kind));
  if (kind == CompressionKind::LowRank && plan.model.isLayerList())
    return fmt::format("the matrices of model `{}` are not known", plan.model.name);
  return "";
}
} // namespace

LogicalResult dpl::checkCompression(const ir::Plan& plan, DiagnosticEngine& diags) {
  if (plan.layout.compression.empty())
    return LogicalResult::success();
  const ir::Compression& c = plan.layout.compression.front();
  const SourceRange at = plan.layout.rangeOf("compression");
  const bool biased = c.kind == CompressionKind::TopK || c.kind == CompressionKind::LowRank;
  // A run with a problem shows the effect of compression on learning.
  const bool shown = llvm::any_of(plan.runs, [](const ir::Run& run) { return run.problem(); });
  if (biased && !c.feedback && !shown)
    return diags.report<diag::CompressionDrifts>(at, ir::name(c.kind))
        .help("`error_feedback = true` adds the dropped part to the gradients of the next step");
  if (c.kind == CompressionKind::TopK && c.density >= 1 && !shown)
    return diags
        .report<diag::NothingToCompress>(at, "all values are sent, and an index with each of them")
        .help("`density` is below 1, except in a run with a `problem`");
  if (const std::string why = whyNothing(plan, c.kind); !why.empty())
    return diags.report<diag::NothingToCompress>(at, why);
  return LogicalResult::success();
}
