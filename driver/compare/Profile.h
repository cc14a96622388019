#pragma once
//===- Profile.h - The work of one rank, as its trace has it ----------------------------------===//
#include "driver/compare/TraceFile.h"
#include "driver/compare/WorkClass.h"
#include "llvm/ADT/StringMap.h"
#include <array>
#include <map>
#include <vector>

namespace dpl::compare {

/// A collective as the profiler describes it.
struct MeasuredCollective {
  std::optional<ir::CollectiveKind> kind;
  std::uint64_t bytes = 0;     ///< whole buffer of a rank; 0 if it is unknown
  std::uint64_t groupSize = 0; ///< 0 if it is unknown
  std::uint32_t ranks = 0;     ///< index into `names` of "[0, 1]"; 0 if they are unknown
  bool operator<(const MeasuredCollective& o) const {
    return std::tie(kind, bytes, groupSize, ranks) <
           std::tie(o.kind, o.bytes, o.groupSize, o.ranks);
  }
};

/// One kernel or copy on the device. For a trace of the host alone, the own time of an operator.
struct DeviceWork {
  std::int64_t begin = 0, end = 0; ///< ns
  std::int64_t launched = -1;      ///< ns, when the host launched it; −1: unknown
  std::uint32_t name = 0;          ///< index into `names`
  std::uint32_t stream = 0;
  std::uint32_t collective = 0; ///< index + 1 into `collectives`; 0: none
  std::uint32_t shapes = 0;     ///< index into `names`: shapes of the operator's inputs; 0: unknown
  std::uint32_t action = 0;     ///< index + 1 into `actions`: the action around it; 0: none
  WorkClass work = WorkClass::Other;
  bool backward = false, step = false; ///< in a backward pass; in the time of a profiled step
};

/// The time of a part in a trace that `dplc emit trace` wrote.
struct EmittedTime {
  std::int64_t time = 0; ///< ns
  std::uint64_t count = 0;
};
/// The kind ("action", "compute", …) and the name of an emitted part.
using EmittedKey = std::pair<std::string, std::string>;

struct Profile {
  std::string path;
  TraceHead head;
  std::vector<DeviceWork> works; ///< sorted by begin
  std::vector<std::string> names;
  std::vector<MeasuredCollective> collectives;
  std::vector<ir::ActionKind> actions; ///< actions of a schedule that the host annotated
  std::uint64_t steps = 1;             ///< profiled steps
  bool marked = false;                 ///< the profiler marked its steps
  std::int64_t stepTime = 0;           ///< ns of all steps together
  bool hostOnly = false;               ///< without a device: operators of the host
  bool knowsDirections = false;        ///< the operators around kernels are known
  /// Parts of emitted traces, by pipeline rank.
  std::map<std::uint64_t, std::map<EmittedKey, EmittedTime>> emitted;
};

/// Reads the profile of a rank. `steps` is the number of steps if the trace does not mark them; 0:
/// one. Fails after a report.
FailureOr<Profile> readProfile(const std::string& path, std::uint64_t steps,
                               DiagnosticEngine& diags);

/// The name of a collective of an emitted trace: "all_gather parameters over data, 8388608 B".
std::string emittedName(const std::string& name, const std::string& group, std::uint64_t bytes);

} // namespace dpl::compare
