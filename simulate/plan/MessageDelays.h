#pragma once
//===- MessageDelays.h - Random delays of the messages of a step ------------------------------===//
#include "ir/Cluster.h"
#include "support/math/Distribution.h"

namespace dpl::simulation {

/// Draws a delay for each message. A draw depends on the sender and on the number of its earlier
/// messages in the step.
class MessageDelays {
public:
  MessageDelays(const ir::MessageDelay& of, std::size_t devices);
  void begin(std::uint64_t ofSeed, std::uint32_t ofStep);
  /// The delay in ps of the next message of a device.
  std::uint64_t next(std::uint32_t device);

private:
  double mean;
  simulate::Distribution over;
  std::vector<std::uint32_t> sent; ///< messages sent so far, by device
  std::uint64_t seed = 1;
  std::uint32_t step = 0;
};

} // namespace dpl::simulation
