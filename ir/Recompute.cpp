//===- Recompute.cpp - Saved activations and recomputation ------------------------------------===//
#include "ir/Recompute.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::ir;

bool Recompute::has(ModuleKind m) const {
  return kind == RecomputeKind::Selective &&
         std::find(modules.begin(), modules.end(), m) != modules.end();
}

bool Recompute::offloads(SavedOperator op) const {
  return std::find(offloaded.begin(), offloaded.end(), op) != offloaded.end();
}

bool Recompute::saves(SavedOperator op) const {
  return offloads(op) || std::find(saved.begin(), saved.end(), op) != saved.end();
}
