//===- Run.cpp - Duration and settings of the training of a layout ----------------------------===//
#include "ir/Run.h"
using namespace dpl;
using namespace dpl::ir;

std::uint64_t Run::lastStep(std::uint64_t batch) const {
  const RunPhase* last = nullptr;
  for (const RunPhase& phase : phases) {
    if (phase.batch != batch)
      continue;
    if (last && phase.index != last->index + 1)
      return 0;
    last = &phase;
  }
  return last ? last->lastStep : 0;
}
