#pragma once
//===- PathPicture.h - The critical path of a step as text ------------------------------------===//
#include "simulate/plan/Simulation.h"

namespace dpl::simulation {

/// The path as rows of ranks over the time of the step, in `width` columns, and its components.
std::string renderText(const ir::Plan& plan, const StepPath& path, unsigned width);
std::string renderSvg(const ir::Plan& plan, const StepPath& path);
Json renderJson(const StepPath& path);

} // namespace dpl::simulation
