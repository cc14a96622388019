//===- DirectUnits.cpp - Units connected without a switch -------------------------------------===//
#include "ir/DirectUnits.h"

using namespace dpl;
using namespace dpl::ir;

DirectUnits::DirectUnits(llvm::ArrayRef<LinkLevel> levels) {
  for (std::size_t l = 0; l < levels.size(); ++l) {
    devices.push_back(levels[l].devices);
    const bool direct = l + 1 < levels.size() && levels[l + 1].pair > 0;
    joined.push_back(direct ? ceilDiv(levels[l + 1].devices, levels[l].devices) : 0);
  }
}

DirectUnits::UnitHops DirectUnits::hops(std::uint64_t from, std::uint64_t to) const {
  UnitHops all;
  for (std::size_t l = 0; l < joined.size(); ++l) {
    const std::uint64_t a = from / devices[l], b = to / devices[l], units = joined[l];
    if (units == 0 || a == b)
      continue;
    const std::uint64_t ofA = a / units, ofB = b / units;
    if (ofA == ofB) {
      all.push_back({l, a, b});
      continue;
    }
    // Links to other outer units begin and end at inner units in round-robin order.
    const std::uint64_t leaves = ofA * units + ofB % units, enters = ofB * units + ofA % units;
    if (a != leaves)
      all.push_back({l, a, leaves});
    if (enters != b)
      all.push_back({l, enters, b});
  }
  return all;
}
