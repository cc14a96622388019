#pragma once
//===- Config.h - A plan as torchtitan's configuration ----------------------------------------===//
#include "backends/torchtitan/TorchtitanLayout.h"

namespace dpl::torchtitan {

/// The text of `train.toml` for 0.2, with the sections of its JobConfig.
std::string tomlConfig(const TorchtitanLayout& layout);
/// The text of `dpl_plan.py` for 0.3: a module with a function `plan`, which returns a
/// Trainer.Config.
std::string pythonConfig(const TorchtitanLayout& layout);

/// A number that both TOML and Python parse as a float: "0.9", "1.0", "8e-05".
std::string real(double value);

} // namespace dpl::torchtitan
