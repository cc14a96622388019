//===- Shares.cpp - Divides whole things by weight --------------------------------------------===//
#include "simulate/engine/Shares.h"
#include <algorithm>
#include <cassert>
#include <numeric>

using namespace dpl::simulate;

std::vector<std::uint64_t> dpl::simulate::deal(std::uint64_t total,
                                               const std::vector<double>& weights) {
  assert(total >= weights.size());
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<std::uint64_t> out;
  std::vector<double> rest;
  std::uint64_t dealt = 0;
  for (const double weight : weights) {
    const double exact = static_cast<double>(total) * weight / all;
    out.push_back(std::max<std::uint64_t>(1, static_cast<std::uint64_t>(exact)));
    rest.push_back(exact - static_cast<double>(out.back()));
    dealt += out.back();
  }
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return rest[a] > rest[b]; });
  for (std::size_t i = 0; dealt < total; i = (i + 1) % order.size(), ++dealt)
    ++out[order[i]];
  // If shares of at least 1 exceed the total, the largest shares above 1 are reduced.
  for (std::size_t i = order.size(); dealt > total; i = i == 1 ? order.size() : i - 1)
    if (std::uint64_t& share = out[order[i - 1]]; share > 1)
      --share, --dealt;
  return out;
}
