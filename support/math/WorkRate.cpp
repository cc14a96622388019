//===- WorkRate.cpp - The rate at which a run works, with times in which it is slower ---------===//
#include "support/math/WorkRate.h"
#include <algorithm>
#include <limits>

using namespace dpl::simulate;

double WorkRate::at(double now) const {
  for (const SlowTime& slow : times)
    if (slow.begin <= now && now < slow.end)
      return slow.rate;
  return 1;
}

double WorkRate::changesAfter(double now) const {
  double next = std::numeric_limits<double>::infinity();
  for (const SlowTime& slow : times)
    for (const double change : {slow.begin, slow.end})
      if (change > now)
        next = std::min(next, change);
  return next;
}

double WorkRate::timeFor(double work, double now) const {
  double time = 0;
  for (double change = changesAfter(now); work > 0; change = changesAfter(now + time)) {
    const double rate = at(now + time), rest = change - (now + time);
    if (work <= rest * rate)
      return time + work / rate;
    work -= rest * rate, time = change - now;
  }
  return time;
}

double WorkRate::workIn(double time, double now) const {
  double work = 0;
  const double until = now + time;
  while (now < until) {
    const double next = std::min(until, changesAfter(now));
    work += (next - now) * at(now), now = next;
  }
  return work;
}
