#pragma once
//===- Torus.h - The links of a torus that a group uses ---------------------------------------===//
//
// A device has a link in both directions of each dimension. Along a dimension the ranks of a group
// either close a ring and use both directions, or lie on a line and use one link, because data
// returns in the other direction. If ranks of a group are k devices apart, k groups share the
// links.
#include "cost/collectives/Algorithm.h"

namespace dpl::cost {

/// Shares of the bandwidth of all links of a device. shareOfNeighbours: for messages to neighbours,
/// one per dimension and direction. shareOfExchange: for a rank that sends equally to all others,
/// limited by the fullest link (dimension by dimension, the shorter way around). shareOfMessage:
/// for a message to one rank.
double shareOfNeighbours(llvm::ArrayRef<ir::TorusRanks> torus);
double shareOfExchange(llvm::ArrayRef<ir::TorusRanks> torus);
double shareOfMessage(llvm::ArrayRef<ir::TorusRanks> torus);

/// The ranks of a group along the dimensions of a torus of `devices` consecutive devices.
std::vector<ir::TorusRanks> torusRanks(llvm::ArrayRef<ir::Stride> strides, const ir::Torus& torus,
                                       std::uint64_t devices);

} // namespace dpl::cost
