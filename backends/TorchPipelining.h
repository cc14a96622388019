#pragma once
//===- TorchPipelining.h - Schedules as torch.distributed.pipelining of 2.11 runs them --------===//
#include "ir/Plan.h"
#include <optional>
#include <string>

namespace dpl {

/// A class of torch.distributed.pipelining that runs a layout's schedule, with the properties that
/// targets ask for.
struct TorchSchedule {
  /// "1F1B" for the class Schedule1F1B; of a table, the class with stages on the same ranks.
  const char* name;
  bool table = false;          ///< torchTableClass reads the order from torchTableFile
  bool oneStage = false;       ///< PyTorch's PipelineScheduleSingle: a rank has one stage
  bool fillsPipeline = false;  ///< it refuses fewer micro-batches than stages
  bool awaitsSends = false;    ///< computation waits until a stage's output is sent
  bool inRounds = false;       ///< micro-batches divide into rounds of as many as ranks
  bool splitsBackward = false; ///< weight gradients are an action of their own
  bool pairsActions = false;   ///< a forward action runs together with a backward one
};

/// The class for those that PyTorch has, a table for any other whose stages stand where those of a
/// class do; else nothing.
std::optional<TorchSchedule> torchScheduleOf(const ir::Layout& layout);
/// Of a layout for which there is nothing: "has each stage on two ranks".
std::string whatTorchLacks(const ir::Layout& layout);

constexpr const char* torchTableClass = "_PipelineScheduleRuntime";
constexpr const char* torchTableFile = "schedule.csv";
/// The passes of the plan's pipeline ranks, a row a rank, as `_load_csv` reads them: "0F0,0B0".
std::string torchTableOf(const ir::Plan& plan);

} // namespace dpl
