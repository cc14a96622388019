//===- Intervals.cpp - 80 % intervals of figures, and what a prediction assumes ---------------===//
#include "backends/report/Intervals.h"
#include "figures/ErrorModel.h"
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::report;
using figures::ErrorSource;

std::string report::withInterval(const std::string& text, const figures::Figures& figures,
                                 const std::string& path) {
  const auto value = figures.value(path), lower = figures.value(path + ".lower"),
             upper = figures.value(path + ".upper");
  const std::size_t dollar = text.rfind('$', 0) == 0 ? 1 : 0;
  const std::size_t end = std::min(text.find_first_not_of("0123456789.", dollar), text.size());
  const double shown = std::strtod(text.substr(dollar, end - dollar).c_str(), nullptr);
  if (!value || !lower || !upper || *value <= 0 || shown <= 0 || !std::isfinite(*upper))
    return text;
  // One digit less than the figure has.
  const std::size_t point = text.find('.', dollar);
  const int digits = point < end ? static_cast<int>(end - point) - 2 : 0;
  const double unit = shown / *value;
  return fmt::format("{} ({:.{}f} … {:.{}f})", text, *lower * unit, digits, *upper * unit, digits);
}

std::string report::assumptionsText(const ir::Plan& plan) {
  std::string out;
  const auto add = [&](ErrorSource source, const std::string& what) {
    if (figures::assumes(plan, source))
      out += (out.empty() ? "" : ", ") + what;
  };
  add(ErrorSource::Framework, "default kernels and overlaps, for no framework (`framework`)");
  add(ErrorSource::Network, "network of the library's cluster (`nic`)");
  add(ErrorSource::Device,
      fmt::format("efficiencies of {} (`node.gpu.sustained`)", plan.cluster.device().name));
  add(ErrorSource::MicroBatch,
      fmt::format("a micro-batch of {} (`micro_batch`)", plan.layout.microBatch));
  return out;
}
