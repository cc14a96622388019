//===- Random.cpp - Random numbers as a function of a key -------------------------------------===//
#include "support/math/Random.h"
#include "support/math/Elementary.h"
#include <cmath>

using namespace dpl::simulate;

std::array<std::uint32_t, 4> dpl::simulate::philox(std::array<std::uint32_t, 4> c,
                                                   std::array<std::uint32_t, 2> k) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * c[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57} * c[2];
    c = {static_cast<std::uint32_t>(b >> 32) ^ c[1] ^ k[0], static_cast<std::uint32_t>(b),
         static_cast<std::uint32_t>(a >> 32) ^ c[3] ^ k[1], static_cast<std::uint32_t>(a)};
    k = {k[0] + 0x9E3779B9, k[1] + 0xBB67AE85};
  }
  return c;
}

std::uint64_t Draws::next() {
  if (bufferedCount == 0) {
    const auto words =
        philox({block++, key.rank, key.step, key.replication},
               {static_cast<std::uint32_t>(key.seed), static_cast<std::uint32_t>(key.seed >> 32)});
    buffered = {words[1] | std::uint64_t{words[0]} << 32, words[3] | std::uint64_t{words[2]} << 32};
    bufferedCount = 2;
  }
  return buffered[--bufferedCount];
}

double Draws::uniform() { return (static_cast<double>(next() >> 12) + 0.5) * 0x1p-52; }

double Draws::normal() {
  while (true) {
    const double x = 2 * uniform() - 1, y = 2 * uniform() - 1;
    const double s = x * x + y * y;
    if (s > 0 && s < 1)
      return x * std::sqrt(-2 * logarithm(s) / s);
  }
}
