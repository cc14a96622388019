#pragma once
//===- TorchPipelining.h - Schedules in torch.distributed.pipelining of 2.11 ------------------===//
#include "ir/Plan.h"
#include <optional>
#include <string>

namespace dpl {

/// A class of torch.distributed.pipelining that runs a layout's schedule, and its properties.
struct TorchSchedule {
  /// The name of the class, "1F1B" for Schedule1F1B. If `table` is set, a class that places the
  /// stages on the same ranks as the layout.
  const char* name;
  bool table = false;          ///< whether torchTableClass reads the order from torchTableFile
  bool oneStage = false;       ///< whether a rank has one stage (PipelineScheduleSingle)
  bool fillsPipeline = false;  ///< whether it refuses fewer micro-batches than stages
  bool awaitsSends = false;    ///< whether computation waits until a stage's output is sent
  bool inRounds = false;       ///< whether micro-batches must be a multiple of the pipeline ranks
  bool splitsBackward = false; ///< whether weight gradients are a separate action
  bool pairsActions = false;   ///< whether a forward action overlaps with a backward action
};

/// Returns PyTorch's class for the layout's schedule. Without such a class, returns a table if a
/// class has the same placement of stages. Otherwise returns none.
std::optional<TorchSchedule> torchScheduleOf(const ir::Layout& layout);
/// Why torchScheduleOf returns none for a layout: "has each stage on two ranks".
std::string whatTorchLacks(const ir::Layout& layout);

constexpr const char* torchTableClass = "_PipelineScheduleRuntime";
constexpr const char* torchTableFile = "schedule.csv";
/// The actions of each pipeline rank, one row per rank, in the format of `_load_csv`: "0F0,0B0".
std::string torchTableOf(const ir::Plan& plan);

} // namespace dpl
