//===- InlayHints.cpp - Chosen values and figures in the text ---------------------------------===//
#include "support/Number.h"
#include "tools/dplc/lsp/Features.h"
using namespace dpl;
using namespace dpl::tool;

std::string tool::labelOf(const PlanSummary& summary) {
  return fmt::format("step {}, MFU {:.1f} %, peak {}",
                     human(summary.step, *dimensionNamed("Duration")), 100 * summary.mfu,
                     human(summary.memory, *dimensionNamed("Bytes"), true));
}

Json tool::inlayHints(const DocumentRequest& request) {
  OpenDocument& document = request.document;
  const SourceManager& sources = document.check.sources();
  const LineIndex lines(document.text, request.documents.encoding);
  const Json& range = request.params["range"];
  std::size_t begin = 0, end = document.text.size();
  if (range.is_object())
    begin = lines.byteAt(range["start"]), end = lines.byteAt(range["end"]);
  Json hints = Json::array();
  const auto add = [&](std::uint32_t file, std::size_t byte, const std::string& label) {
    if (sources.name(file) != document.path)
      return;
    byte += sources.skipped(file);
    if (byte >= begin && byte <= end)
      hints.push_back(
          {{"position", lines.position(byte)}, {"label", label}, {"paddingLeft", true}});
  };
  for (const CheckedPlan& plan : document.check.plans()) {
    if (!plan.result)
      continue;
    for (const ChosenValue& value : plan.result->chosen)
      add(value.at.file, value.at.end, "= " + value.value);
    if (plan.result->summary)
      add(plan.range.file, plan.range.end, labelOf(*plan.result->summary));
  }
  return hints;
}
