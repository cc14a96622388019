#pragma once
//===- Intervals.h - 80 % intervals of figures, and what a prediction assumes -----------------===//
#include "figures/Figures.h"
#include <string>

namespace dpl::report {

/// "10.49s (9.63 … 11.45)": a text that begins with the number of a figure, and the ends of its
/// interval in the same unit. The text alone if the figure has no interval.
std::string withInterval(const std::string& text, const figures::Figures& figures,
                         const std::string& path);

/// The inputs that are library defaults which nobody stated, with the fields that state them,
/// without the kernels of experts (`assumedText`). Empty if there are none.
std::string assumptionsText(const ir::Plan& plan);

} // namespace dpl::report
