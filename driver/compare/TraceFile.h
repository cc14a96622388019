#pragma once
//===- TraceFile.h - The events of a profiler's trace -----------------------------------------===//
//
// Chrome's trace-event JSON as PyTorch's profiler (kineto) and `dplc emit trace` write it: an
// object with `traceEvents`, or the array alone.
#include "support/Diagnostics.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>
#include <string>

namespace dpl::compare {

/// One event. Its texts are valid during the visit.
struct TraceEvent {
  char phase = 0; ///< 'X' is a slice, 'M' names a process or thread
  std::string category, name, process, thread;
  std::int64_t begin = 0, duration = 0; ///< ns
  std::string correlation;              ///< of a kernel and the call that launches it
  std::string stream;                   ///< of a kernel
  std::string shapes;                   ///< "[[8192, 4096], [4096, 1024]]", shapes of the inputs
  // Arguments of a collective.
  std::string collective, type, group, ranks;
  std::uint64_t inElements = 0, outElements = 0, groupSize = 0;
  std::uint64_t bytes = 0; ///< of `dplc emit trace`
  void clear() { *this = TraceEvent(); }
};

/// The process that a trace describes.
struct TraceHead {
  std::optional<std::uint64_t> rank;
  std::uint64_t worldSize = 0;
  std::string device;   ///< "NVIDIA H100 80GB HBM3"; empty if it is unknown
  bool emitted = false; ///< `dplc emit trace` wrote it
  std::string plan;     ///< hash of the plan that it was emitted from
};

/// Reads a trace. Fails after a report of the first mistake.
LogicalResult readTrace(const std::string& path, TraceHead& head,
                        llvm::function_ref<void(const TraceEvent&)> visit, DiagnosticEngine& diags);

} // namespace dpl::compare
