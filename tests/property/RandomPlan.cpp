//===- RandomPlan.cpp - Legal plans of every sort, from a seed --------------------------------===//
#include "tests/property/PlanMaker.h"
#include <cstdlib>

using namespace dpl;
using namespace dpl::test;
using namespace dpl::ir;

std::uint64_t Random::next() {
  std::uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

double Random::between(double low, double high) {
  return low + (high - low) * static_cast<double>(next() >> 11) / 9007199254740992.0;
}

Plan dpl::test::randomPlan(std::uint64_t seed) { return PlanMaker(seed).make(); }

std::uint64_t dpl::test::plansToMake() {
  const char* given = std::getenv("DPL_PROPERTY_PLANS");
  return given ? std::strtoull(given, nullptr, 10) : std::getenv("DPL_LONG") ? 10'000 : 300;
}
