//===- Availability.cpp - The mean share of a run's nodes that work ---------------------------===//
#include "cost/run/Availability.h"
#include <algorithm>

using namespace dpl;

double cost::availability(const Nodes& n) {
  const double least = n.least > 0 ? n.least : n.all;
  double weight = 1, sum = 0,
         worked = 0; // weight: probability of `away` missing nodes, relative to none
  for (double away = 0;; ++away) {
    const double running = std::min(n.all, n.all + n.spares - away);
    sum += weight;
    if (running < least || running < 1)
      break; // nothing runs, so nothing fails
    worked += weight * running / n.all;
    weight *= n.failing * running / n.all * n.repair / (away + 1);
    if (weight < 1e-18 * sum && away >= n.failing * n.repair)
      break;
  }
  return worked / sum;
}
