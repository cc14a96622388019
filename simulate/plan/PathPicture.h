#pragma once
//===- PathPicture.h - The critical path of a step, drawn -----------------------------------===//
#include "simulate/plan/Simulation.h"

namespace dpl::simulation {

/// Rows of ranks over the time of the step in so many columns, and what the path is made of.
std::string renderText(const ir::Plan& plan, const StepPath& path, unsigned width);
std::string renderSvg(const ir::Plan& plan, const StepPath& path);
Json renderJson(const StepPath& path);

} // namespace dpl::simulation
