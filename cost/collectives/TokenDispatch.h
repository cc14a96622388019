#pragma once
//===- TokenDispatch.h - Sending tokens to the ranks of their experts and back ----------------===//
#include "cost/collectives/CollectiveCost.h"
#include "cost/compute/LayerCost.h"

namespace dpl::cost {

/// Dispatch sends tokens to their experts, Combine returns the outputs. In the backward pass the
/// gradients of Combine take the way of Dispatch, and vice versa.
enum class TokenWay : std::uint8_t { Dispatch, Combine };

/// Tokens of a rank, and their copies for experts.
struct TokenRows {
  double tokens = 0, copies = 0;
};
TokenRows tokenRowsOf(const ir::FeedForward& f, const Division& d);

/// One token exchange between the ranks that divide the experts of a layer.
struct TokenCollective {
  ir::CollectiveKind kind = ir::CollectiveKind::AllToAll;
  /// Bytes that a rank sends, including those that stay on it; for gathers the bytes of all ranks.
  double bytes = 0;
  CollectiveCost cost;
};

/// The exchange of `rows`, each of `width` elements.
TokenCollective exchangeOf(const ir::Kernels& kernels, const ir::FeedForward& f, TokenWay way,
                           TokenRows rows, double width, const GroupShape& shape,
                           llvm::ArrayRef<ir::LinkLevel> levels);

/// Whether the communication library runs a collective; tokens may have their own dispatcher.
bool isOfLibrary(const ir::Plan& plan, const ir::Collective& c);
/// Cost of a dispatcher's own kernels for the bytes that a device sends over each level.
CollectiveCost dispatchCost(ir::DispatchKind kind, llvm::ArrayRef<double> bytesPerLevel,
                            const GroupShape& shape, llvm::ArrayRef<ir::LinkLevel> levels);

} // namespace dpl::cost
