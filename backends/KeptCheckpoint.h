#pragma once
//===- KeptCheckpoint.h - Whether a changed layout loads the checkpoint of a job --------------===//
#include "ir/Plan.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>
#include <string>

namespace dpl {

/// How a checkpoint is loaded by a layout with other degrees.
enum class Resharding : std::uint8_t { Loads, Converted, Refused };

/// The changes that the checkpoints of a framework allow, from its documentation.
struct CheckpointRules {
  const char* framework; ///< as in `framework = …`
  const char* format;    ///< "torch_dist"
  Resharding data;       ///< other data ranks, with equal model parallelism
  Resharding model;      ///< other pipeline, tensor or expert ranks, or other layers on them
  Resharding stage;      ///< another ZeRO stage
  const char* condition; ///< condition of Converted: "it was saved with --option"
  const char* source;
};
llvm::ArrayRef<CheckpointRules> checkpointRules();
/// The rules of the framework that trains the plan; null if it has none.
const CheckpointRules* checkpointRulesOf(const ir::Plan& plan);

/// None if the changed layout cannot load the checkpoint that the plan's job writes; otherwise the
/// condition, empty if there is none. Layouts with the same state on each rank always can. Relies
/// on: both plans are complete.
std::optional<std::string> checkpointCondition(const ir::Plan& plan, const ir::Plan& changed);

} // namespace dpl
