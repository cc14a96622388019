//===- StudyPoints.cpp - The combinations of candidates that a study runs ---------------------===//
#include "driver/study/StudyPoints.h"
#include "support/math/Random.h"
#include "llvm/Support/MathExtras.h"
using namespace dpl;
using namespace dpl::study;

namespace {
/// The image of `number` under a permutation of 0 … size − 1 that depends on the seed. It is a
/// Feistel network over the next even number of bits, repeated until the result is below `size`
/// (cycle walking; Black and Rogaway, Ciphers with arbitrary finite domains, CT-RSA 2002).
std::uint64_t permuted(std::uint64_t number, std::uint64_t size, std::uint64_t seed) {
  const unsigned half = std::max(1U, (llvm::Log2_64_Ceil(size) + 1) / 2);
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  constexpr std::uint32_t rounds = 6;
  do {
    std::uint64_t left = number >> half, right = number & mask;
    for (std::uint32_t round = 0; round < rounds; ++round) {
      simulate::Draws draws({seed, round, static_cast<std::uint32_t>(right),
                             static_cast<std::uint32_t>(right >> 32)});
      left ^= draws.next() & mask;
      std::swap(left, right);
    }
    number = left << half | right;
  } while (number >= size);
  return number;
}
} // namespace

std::vector<std::uint64_t> StudyPoints::at(std::uint64_t point) const {
  std::vector<std::uint64_t> chosen(space.open.size(), point);
  if (space.sampling.kind == ir::SamplingKind::Zip)
    return chosen;
  if (space.sampling.kind == ir::SamplingKind::Random)
    point = permuted(point, space.candidates(), space.sampling.seed);
  for (std::size_t i = chosen.size(); i-- > 0;) {
    chosen[i] = point % space.open[i].size();
    point /= space.open[i].size();
  }
  return chosen;
}
