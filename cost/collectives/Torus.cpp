//===- Torus.cpp - The links of a torus that a group uses -------------------------------------===//
#include "cost/collectives/Torus.h"
#include "cost/network/LinkLoad.h"
#include "ir/Arithmetic.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// Links of a device in a dimension; two devices have one link between them.
double linksOf(const TorusRanks& d) { return d.size > 2 ? 2 : real(d.size - 1); }
double linksOf(llvm::ArrayRef<TorusRanks> torus) {
  double sum = 0;
  for (const TorusRanks& d : torus)
    sum += linksOf(d);
  return sum;
}
bool closes(const TorusRanks& d) { return d.size > 2 && d.ranks * d.apart == d.size; }

/// Bytes over the fullest link of a dimension, per byte that each rank sends in equal parts to all.
/// With k ranks in a ring a message makes k/4 hops, (k² − 1)/4k for odd k, half of them in each
/// direction. On a line ⌊k²/4⌋ pairs cross the middle.
double fullest(const TorusRanks& d) {
  const double k = real(d.ranks), even = d.ranks % 2 == 0 ? k * k : k * k - 1;
  return real(d.apart) * even / (4 * k) / (closes(d) ? 2 : 1);
}
} // namespace

double dpl::cost::shareOfNeighbours(llvm::ArrayRef<TorusRanks> torus) {
  double links = 0;
  for (const TorusRanks& d : torus)
    if (d.ranks > 1)
      links += (closes(d) ? linksOf(d) : 1) / real(d.apart);
  return links > 0 ? links / linksOf(torus) : 1;
}

double dpl::cost::shareOfExchange(llvm::ArrayRef<TorusRanks> torus) {
  double ranks = 1, most = 0;
  for (const TorusRanks& d : torus)
    ranks *= real(d.ranks), most = std::max(most, fullest(d));
  return most > 0 ? (ranks - 1) / ranks / most / linksOf(torus) : 1;
}

double dpl::cost::shareOfMessage(llvm::ArrayRef<TorusRanks> torus) {
  for (const TorusRanks& d : torus)
    if (d.ranks > 1)
      return 1 / (real(d.apart) * linksOf(torus));
  return 1;
}

std::vector<TorusRanks> dpl::cost::torusRanks(llvm::ArrayRef<Stride> strides, const Torus& torus,
                                              std::uint64_t devices) {
  std::vector<TorusRanks> all;
  for (const std::uint64_t size : torus.sizes)
    all.push_back({1, 1, size});
  for (const Stride& s : llvm::reverse(strides)) { // innermost first
    std::uint64_t left = ranksInside(s, devices), stride = s.stride;
    for (TorusRanks& d : all) {
      if (left > 1 && stride < d.size) {
        // If the ranks do not divide evenly, the rest stays next to each other in this dimension.
        const std::uint64_t fits = d.size / stride;
        const std::uint64_t here = left <= fits || left % fits != 0 ? left : fits;
        d.apart = d.ranks > 1 ? std::max<std::uint64_t>(1, stride / d.ranks) : stride;
        d.ranks *= here, left /= here;
        stride = 1;
      } else {
        stride = ceilDiv(stride, d.size);
      }
    }
    all.back().ranks *= left;
  }
  return all;
}
