#pragma once
//===- Replay.h - Updates in the order in which simulated workers made them -------------------===//
#include "simulate/converge/Compressor.h"
#include "simulate/engine/Workers.h"
#include <optional>

namespace dpl::converge {

struct ReplayRequest {
  llvm::ArrayRef<simulate::Update> updates;
  /// Gradients are dropped if more than this number of accepted updates came after the parameters
  /// that they read.
  std::optional<std::uint64_t> rejectAbove;
};

/// Replays recorded updates. Each update uses the gradient at the parameters that its worker had
/// read.
Outcome replay(const Quadratic& problem, const Method& method, const ReplayRequest& request);

} // namespace dpl::converge
