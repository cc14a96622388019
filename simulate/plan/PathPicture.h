#pragma once
//===- PathPicture.h - The critical path of a step as text ------------------------------------===//
#include "simulate/plan/Simulation.h"

namespace dpl::simulation {

/// The path as a picture `width` columns wide, with a row for each rank and time from left to
/// right, and a table of its parts.
std::string renderText(const ir::Plan& plan, const StepPath& path, unsigned width);
std::string renderSvg(const ir::Plan& plan, const StepPath& path);
Json renderJson(const StepPath& path);

} // namespace dpl::simulation
