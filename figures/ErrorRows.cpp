//===- ErrorRows.cpp - The intervals of predictions -------------------------------------------===//
#include "figures/ErrorModel.h"
#include "figures/Rows.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::figures;

namespace {
std::string sourceOf(ErrorQuantity of) {
  const ErrorModel& model = errorModel(of);
  return fmt::format("{} measured runs of {} sources, {}", model.rows, model.families,
                     monthOfErrors());
}

/// The ends of the interval of a figure that is proportional to the step time, or to its inverse.
Traced scaled(const FigureContext& f, const Traced& value, const char* end, bool inverse) {
  const Traced step = f("step_time"), other = f(end);
  if (!value.has() || !step.has() || step.value() <= 0)
    return FigureContext::none();
  return inverse ? value * step / other : value * other / step;
}
} // namespace

Traced figures::waitsShare(const FigureContext& f) {
  Traced left = f("step_time") - f("time.compute");
  for (const char* part : {"time.recompute", "time.launch_bound"})
    if (const Traced seconds = f(part); seconds.value() > 0)
      left = left - seconds;
  return f("step_time").value() > 0 ? max(0, left) / f("step_time") : FigureContext::none();
}

Traced figures::errorPart(ErrorQuantity of, ErrorSource source, double share) {
  const double part = errorModel(of).weights[indexOf(source)] * share;
  return part > 0 ? Traced::leaf(part, Provenance::Declared, sourceOf(of)) : FigureContext::none();
}

Traced figures::stepErrorPart(const FigureContext& f, ErrorSource source) {
  const char* const path = shareOf(source);
  if (!f("step_time").has())
    return FigureContext::none();
  return errorPart(ErrorQuantity::StepTime, source,
                   path                    ? f(path).value()
                   : holds(f.plan, source) ? 1
                                           : 0);
}

Traced figures::stepError(const FigureContext& f) {
  TracedSum sum;
  for (std::size_t i = 0; i < errorSources; ++i)
    sum.plus(f(fmt::format("step_time.error.{}", name(static_cast<ErrorSource>(i)))));
  return sum.all;
}

Traced figures::lowerEnd(const Traced& value, const Traced& error, ErrorQuantity of) {
  return value / (1 + errorModel(of).below * error);
}

Traced figures::upperEnd(const Traced& value, const Traced& error, ErrorQuantity of) {
  return value * (1 + errorModel(of).above * error);
}

Traced figures::halfWidth(const Traced& error, ErrorQuantity of) {
  return (1 + errorModel(of).above * error - 1 / (1 + errorModel(of).below * error)) / 2;
}

Traced figures::lowerByStep(const FigureContext& f, const Traced& value) {
  return scaled(f, value, "step_time.lower", false);
}
Traced figures::upperByStep(const FigureContext& f, const Traced& value) {
  return scaled(f, value, "step_time.upper", false);
}
Traced figures::lowerRate(const FigureContext& f, const Traced& value) {
  return scaled(f, value, "step_time.upper", true);
}
Traced figures::upperRate(const FigureContext& f, const Traced& value) {
  return scaled(f, value, "step_time.lower", true);
}
