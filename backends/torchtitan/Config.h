#pragma once
//===- Config.h - A plan as torchtitan's configuration ----------------------------------------===//
#include "backends/torchtitan/TorchtitanLayout.h"

namespace dpl::torchtitan {

/// `train.toml` of 0.2: the sections of its JobConfig.
std::string tomlConfig(const TorchtitanLayout& layout);
/// `dpl_plan.py` of 0.3: a module with the function `plan`, which returns a Trainer.Config.
std::string pythonConfig(const TorchtitanLayout& layout);

/// A float that both TOML and Python parse as a float: "0.9", "1.0", "8e-05".
std::string real(double value);

} // namespace dpl::torchtitan
