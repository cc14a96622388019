#pragma once
//===- LowerTopology.h - Where devices stand among their links, from a cluster's fields -------===//
#include "frontend/sema/Lowering.h"

namespace dpl::sema {

/// `direct_bandwidth` of leaves and pods, after all of the network. Fails `to` after a report.
void lowerDirectLinks(Lowering& to, const ObjectFields& cluster);
/// `domain.torus`, whose links are the last that the plan has. Fails `to` after a report.
void lowerTorus(Lowering& to, const ObjectFields& cluster);

/// `order` of rings that go through devices as it says. Fails `to` after a report.
void lowerRingOrder(Lowering& to, const ObjectFields& rings);

} // namespace dpl::sema
