#pragma once
//===- MessageDelays.h - How late the messages of a step are ----------------------------------===//
#include "ir/Cluster.h"
#include "support/math/Distribution.h"

namespace dpl::simulation {

/// Drawn for each message by itself, by who sends it and how many it has sent in the step.
class MessageDelays {
public:
  MessageDelays(const ir::MessageDelay& of, std::size_t devices);
  void begin(std::uint64_t ofSeed, std::uint32_t ofStep);
  /// ps of the next message of a device.
  std::uint64_t next(std::uint32_t device);

private:
  double mean;
  simulate::Distribution over;
  std::vector<std::uint32_t> sent; ///< by device
  std::uint64_t seed = 1;
  std::uint32_t step = 0;
};

} // namespace dpl::simulation
