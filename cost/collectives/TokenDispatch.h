#pragma once
//===- TokenDispatch.h - Tokens to the ranks of their experts and back ------------------------===//
#include "cost/collectives/CollectiveCost.h"
#include "cost/compute/LayerCost.h"

namespace dpl::cost {

/// Dispatch has each token go to its experts, combine brings back what they gave. Backward the
/// gradients of the second go the way of the first, and the reverse.
enum class TokenWay : std::uint8_t { Dispatch, Combine };

/// Tokens of a rank, and their copies for experts.
struct TokenRows {
  double tokens = 0, copies = 0;
};
TokenRows tokenRowsOf(const ir::FeedForward& f, const Division& d);

/// What the tokens of a rank are to the ranks that divide the experts of a layer.
struct TokenCollective {
  ir::CollectiveKind kind = ir::CollectiveKind::AllToAll;
  double bytes = 0; ///< what a rank sends, with what stays on it; of all ranks where they gather
  CollectiveCost cost;
};

/// `rows` of `width` elements each.
TokenCollective exchangeOf(const ir::Kernels& kernels, const ir::FeedForward& f, TokenWay way,
                           TokenRows rows, double width, const GroupShape& shape,
                           llvm::ArrayRef<ir::LinkLevel> levels);

/// Whether the communication library runs a collective: tokens may have a dispatcher of their own.
bool isOfLibrary(const ir::Plan& plan, const ir::Collective& c);
/// What kernels of a dispatcher of its own take for what a device sends over each level.
CollectiveCost dispatchCost(ir::DispatchKind kind, llvm::ArrayRef<double> bytesPerLevel,
                            const GroupShape& shape, llvm::ArrayRef<ir::LinkLevel> levels);

} // namespace dpl::cost
