#pragma once
//===- Torus.h - What a group has of the links of a torus -------------------------------------===//
//
// A device has a link each way round of a dimension. Along it the ranks of a group close a ring,
// and have both ways, or lie on a line, where what goes on comes back the other way: one link. All
// groups that lie between them send over the same links.
#include "cost/collectives/Algorithm.h"

namespace dpl::cost {

/// Of the bandwidth of all links of a device, what messages between neighbours have, one in each
/// dimension and way; what every rank has that sends to all others alike, by the fullest link
/// (dimension by dimension, the shorter way round); and what a message to one rank has.
double shareOfNeighbours(llvm::ArrayRef<ir::TorusRanks> torus);
double shareOfExchange(llvm::ArrayRef<ir::TorusRanks> torus);
double shareOfMessage(llvm::ArrayRef<ir::TorusRanks> torus);

/// The ranks of a group along the dimensions of a torus that holds `devices` consecutive devices.
std::vector<ir::TorusRanks> torusRanks(llvm::ArrayRef<ir::Stride> strides, const ir::Torus& torus,
                                       std::uint64_t devices);

} // namespace dpl::cost
