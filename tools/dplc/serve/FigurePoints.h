#pragma once
//===- FigurePoints.h - The method `figures`: some figures at many points ---------------------===//
#include "tools/dplc/serve/Job.h"

namespace dpl::tool {

constexpr const char* figuresMethod = "figures";

/// The work of `{"file": …, "layout": …, "figures": […], "points": [{PATH: VALUE}, …]}`; empty, and
/// `mistake` has the reason, if the parameters are wrong.
std::function<void(Answer&, const Progress::Listener&)> figuresWork(const Json& params,
                                                                    std::string& mistake);

} // namespace dpl::tool
