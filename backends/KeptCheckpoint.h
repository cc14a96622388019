#pragma once
//===- KeptCheckpoint.h - Whether a changed layout loads the checkpoint of a job --------------===//
#include "ir/Plan.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>
#include <string>

namespace dpl {

/// What a framework does with a checkpoint that was written by a layout with other degrees.
enum class Resharding : std::uint8_t { Loads, Converted, Refused };

/// The changes of a layout after which a framework can load a checkpoint, from its documentation.
struct CheckpointRules {
  const char* framework; ///< name in `framework = …`
  const char* format;    ///< format of the checkpoint: "torch_dist"
  Resharding data;       ///< rule if only the number of data ranks changes
  Resharding model;      ///< rule if pipeline, tensor or expert ranks change, or the layers on them
  Resharding stage;      ///< rule if the ZeRO stage changes
  const char* condition; ///< condition under which Converted applies: "it was saved with --option"
  const char* source;
  const char* argument = nullptr; ///< argument of the job for that condition; null without one
};
llvm::ArrayRef<CheckpointRules> checkpointRules();
/// Adds the argument to the launches of a plan, so that layouts with other degrees load the
/// checkpoints that its job saves. Only a sharded optimizer needs it; Megatron-FSDP, which shards
/// more than the optimizer, has another format.
void saveForOtherLayouts(ir::Plan& plan);
/// The rules of the framework that trains the plan; null if it has none.
const CheckpointRules* checkpointRulesOf(const ir::Plan& plan);

/// The condition under which the changed layout can load the checkpoint that the plan's job writes;
/// empty if there is no condition. None if it cannot load it. A layout with the same state on each
/// rank always can. Relies on: both plans are complete.
std::optional<std::string> checkpointCondition(const ir::Plan& plan, const ir::Plan& changed);

} // namespace dpl
