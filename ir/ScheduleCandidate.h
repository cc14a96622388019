#pragma once
//===- ScheduleCandidate.h - What `schedule = auto` chose from
//---------------------------------===//
#include "ir/Layout.h"

namespace dpl::ir {

/// In the order in which a row is judged, the best first.
enum class CandidateOutcome : std::uint8_t {
  Chosen,
  Slower,
  BreaksAssert, ///< it fits, and the file asserts otherwise
  NoHeadroom,   ///< it fits, another one leaves the headroom of `lint`
  NoMemory,
  Illegal, ///< the shape is not for it
  Refused  ///< the framework of the layout does not run it
};

/// A row of Schedules.def with its chunks and its limit, and what came of it.
struct ScheduleCandidate {
  ScheduleKind schedule = ScheduleKind::OneForwardOneBackward;
  std::uint64_t chunks = 1, inFlight = 0; ///< as Layout has them
  CandidateOutcome outcome = CandidateOutcome::Slower;
  std::uint64_t step = 0;             ///< ps without jitter; 0 where it was not executed
  std::uint64_t peak = 0, usable = 0; ///< bytes of the pipeline rank that has the least left
  double mostInFlight = 0;            ///< micro-batches that a rank holds at most
  std::string reason;                 ///< why it is illegal, or what the assertion says
  bool executed() const { return step > 0; }
  /// "zb_auto { in_flight = 8 }": as a layout gives it.
  std::string text() const;
  template <class V> void fields(V& v) {
    v("schedule", schedule), v("chunks", chunks), v("in_flight", inFlight), v("outcome", outcome);
    v("step", step), v("peak", peak), v("usable", usable),
        v("micro_batches_in_flight", mostInFlight), v("reason", reason);
  }
};

} // namespace dpl::ir
