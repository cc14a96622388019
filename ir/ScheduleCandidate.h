#pragma once
//===- ScheduleCandidate.h - The candidates of `schedule = auto` ------------------------------===//
#include "ir/Layout.h"

namespace dpl::ir {

/// Outcomes from best to worst.
enum class CandidateOutcome : std::uint8_t {
  Chosen,
  Slower,
  BreaksAssert, ///< it fits, but violates an assertion of the file
  NoHeadroom,   ///< it fits, but another candidate leaves the headroom of `lint`
  NoMemory,
  Illegal, ///< the schedule does not support the pipeline shape
  Refused  ///< the framework of the layout does not support it
};

/// A row of Schedules.def with its chunks and limit, and its outcome.
struct ScheduleCandidate {
  ScheduleKind schedule = ScheduleKind::OneForwardOneBackward;
  std::uint64_t chunks = 1, inFlight = 0; ///< Layout::chunks, Layout::inFlight
  CandidateOutcome outcome = CandidateOutcome::Slower;
  std::uint64_t step = 0;             ///< ps without jitter; 0 if it was not executed
  std::uint64_t peak = 0, usable = 0; ///< bytes on the pipeline rank with the least headroom
  double mostInFlight = 0;            ///< most in-flight micro-batches on a rank
  std::string reason;                 ///< first error, if it is illegal or breaks an assertion
  bool executed() const { return step > 0; }
  /// "zb_auto { in_flight = 8 }": as written in a layout.
  std::string text() const;
  template <class V> void fields(V& v) {
    v("schedule", schedule), v("chunks", chunks), v("in_flight", inFlight), v("outcome", outcome);
    v("step", step), v("peak", peak), v("usable", usable),
        v("micro_batches_in_flight", mostInFlight), v("reason", reason);
  }
};

} // namespace dpl::ir
