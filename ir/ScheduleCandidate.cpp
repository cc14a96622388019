//===- ScheduleCandidate.cpp - A schedule as written in a layout ------------------------------===//
#include "ir/ScheduleCandidate.h"
#include "ir/Names.h"
#include "ir/Placement.h"
#include <fmt/format.h>

using namespace dpl::ir;

std::string ScheduleCandidate::text() const {
  const char* kind = name(schedule);
  if (inFlight > 0)
    return fmt::format("{} {{ in_flight = {} }}", kind, inFlight);
  return chunksOf(schedule) == 0 ? fmt::format("{} {{ chunks = {} }}", kind, chunks) : kind;
}
