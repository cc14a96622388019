#pragma once
//===- LinkUse.h - The load of a step on each link type of the network ------------------------===//
#include "cost/step/Traffic.h"

namespace dpl::cost {

/// The part of one kind of collective in the load of a link type.
struct LinkUser {
  Traffic traffic; ///< row of the first pipeline rank that sends it
  double sent = 0; ///< bytes of a device in a step over links of the type, as LinkUse counts them
};

/// The load of a step on the links of one type: those that carry most. If all devices that share
/// links belong to one pipeline rank, each sends as much as the rank that sends most. Otherwise
/// each sends the mean of their ranks.
struct LinkUse {
  std::size_t link = 0;                 ///< index into Network::links
  std::uint64_t devices = 1, count = 1; ///< devices that share `count` links
  std::uint64_t rank = 0;               ///< first pipeline rank of these devices
  double bandwidth = 0;                 ///< bytes/s of one link and direction
  double sent = 0;                      ///< bytes over one link in a step
  std::vector<std::size_t>
      levels;                  ///< levels whose traffic it carries, as indices of Cluster::levels
  std::vector<LinkUser> users; ///< most bytes first

  double devicesPerLink() const {
    return static_cast<double>(devices) / static_cast<double>(count);
  }
  /// Seconds for which these bytes keep one link busy.
  double busy() const { return bandwidth > 0 ? sent / bandwidth : 0; }
};

/// The link types that carry bytes in a step, the busiest first; of equally busy ones the
/// innermost. Bandwidth after the ports is left out where the ports limit it. Relies on: a complete
/// plan.
std::vector<LinkUse> linkUseOf(const ir::Plan& plan);

} // namespace dpl::cost
