#pragma once
//===- Random.h - Random numbers as a function of a key ---------------------------------------===//
//
// A number is a function of its key (Philox4x32-10; Salmon, Moraes, Dror, Shaw, Parallel random
// numbers: as easy as 1, 2, 3, SC 2011). It does not depend on threads or the order of draws.
#include <array>
#include <cstdint>

namespace dpl::simulate {

/// Ten rounds of Philox4x32.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key);

/// The key of a sequence of random numbers.
struct RandomKey {
  std::uint64_t seed = 0;
  std::uint32_t replication = 0, rank = 0, step = 0;
};

/// The successive random numbers of one key; at most 2^33.
class Draws {
public:
  explicit Draws(const RandomKey& key) : key(key) {}
  std::uint64_t next();
  /// A number above 0 and below 1: an odd multiple of 2^-53.
  double uniform();
  /// A standard normal number, by Marsaglia's polar method.
  double normal();

private:
  RandomKey key;
  std::uint32_t block = 0;
  std::array<std::uint64_t, 2> buffered{};
  unsigned bufferedCount = 0;
};

} // namespace dpl::simulate
