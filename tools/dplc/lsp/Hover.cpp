//===- Hover.cpp - What a name means ----------------------------------------------------------===//
#include "frontend/sema/ResultNames.h"
#include "support/Number.h"
#include "tools/dplc/lsp/Features.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"
using namespace dpl;
using namespace dpl::tool;

namespace {
/// The layout whose block contains the place; empty if there is none.
std::string layoutAt(const DocumentRequest& request, SourceRange place) {
  for (const Symbol& symbol : request.names().outline(place.file))
    if (symbol.range.begin <= place.begin && place.begin <= symbol.range.end)
      return symbol.name;
  return "";
}

std::string summaryOf(const DocumentRequest& request, const std::string& layout) {
  for (const CheckedPlan& plan : request.document.check.plans())
    if (plan.layout == layout && plan.result && plan.result->summary)
      return labelOf(*plan.result->summary);
  return "";
}

/// The value of a figure in the layout around the name, as "**predicted: 10.49 s**".
std::string prediction(const DocumentRequest& request, const NameInfo& info) {
  if (info.name.thing == NamedThing::Block)
    return summaryOf(request, info.title);
  if (info.figure.empty())
    return "";
  const std::string layout = layoutAt(request, info.name.use);
  const std::optional<double> value = request.document.check.figure(layout, info.figure);
  if (!value)
    return "";
  const std::optional<Dimension> dimension = sema::resultNamed(info.figure);
  const bool inBytes = dimension && *dimension == *dimensionNamed("Bytes");
  return fmt::format("predicted for `{}`: {}", layout,
                     dimension ? human(*value, *dimension, inBytes)
                               : fmt::format("{:.4g}", *value));
}

/// The value that the compiler chose where the file has `rest` or `auto`, at the word itself or at
/// its field.
std::string choice(const DocumentRequest& request, const NameInfo& info) {
  const bool isField = !info.levels.empty();
  const SourceRange place = isField ? info.levels.back().range : info.name.use;
  const llvm::StringRef written =
      isField ? llvm::StringRef(info.levels.back().value) : request.sources().text(place);
  if (written != "rest" && written != "auto")
    return "";
  for (const CheckedPlan& plan : request.document.check.plans())
    if (plan.result)
      for (const ChosenValue& value : plan.result->chosen)
        if (value.at.file == place.file && place.begin <= value.at.begin &&
            value.at.end <= place.end)
          return fmt::format("the compiler chose `{}` in `{}`", value.value, plan.layout);
  return "";
}

/// "field, a count in `seq`, set by block"
std::string factsOf(const NameInfo& info) {
  std::string text = wordOf(info.name.thing);
  if (!info.type.empty())
    text += ", " + info.type;
  if (!info.units.empty() && info.figure.empty())
    text += fmt::format(" ({})", info.units);
  if (!info.defaultValue.empty())
    text += fmt::format(", default `{}`", info.defaultValue);
  return text;
}

/// " (line 24)" in the document itself, " (std.prelude, line 481)" in other files.
std::string placeOf(const DocumentRequest& request, SourceRange range) {
  if (!range.valid())
    return "";
  const SourceManager& sources = request.sources();
  const std::uint32_t line = sources.at(range.file, range.begin).line;
  if (request.document.check.source() == range.file)
    return fmt::format(" (line {})", line);
  return fmt::format(" ({}, line {})", llvm::sys::path::filename(sources.name(range.file)), line);
}

/// "set by the block", "set in std.models.llama3_8b".
std::string setBy(llvm::StringRef level) {
  if (level.consume_front("from "))
    return "set in " + level.str();
  if (level.consume_front("with "))
    return "set by the fragment " + level.str();
  return (level == "block" || level == "schema default" ? "set by the " : "set by ") + level.str();
}

/// The levels that set the value, the last one first.
std::string levelsOf(const DocumentRequest& request, const NameInfo& info) {
  if (info.levels.empty())
    return info.setBy.empty() ? "" : setBy(info.setBy);
  std::string text;
  for (const FieldLevel& level : llvm::reverse(info.levels)) {
    text += fmt::format("{}`{}` {}{}", text.empty() ? "" : "\n- ", level.value, setBy(level.level),
                        placeOf(request, level.range));
  }
  return info.levels.size() > 1 ? "- " + text : text;
}

void addParagraph(std::string& text, const std::string& part) {
  if (!part.empty())
    text += (text.empty() ? "" : "\n\n") + part;
}
} // namespace

Json tool::hover(const DocumentRequest& request) {
  const std::optional<SourceRange> place = request.place();
  const std::optional<NameInfo> info =
      place ? request.names().at(place->file, place->begin) : std::nullopt;
  if (!info)
    return nullptr;
  const std::string title = info->value.empty() ? info->title : info->title + " = " + info->value;
  std::string text = request.client.markdown ? "```dpl\n" + title + "\n```" : title;
  addParagraph(text, factsOf(*info));
  addParagraph(text, prediction(request, *info));
  addParagraph(text, choice(request, *info));
  addParagraph(text, info->doc);
  addParagraph(text, levelsOf(request, *info));
  return {
      {"contents", {{"kind", request.client.markdown ? "markdown" : "plaintext"}, {"value", text}}},
      {"range", lspRange(request.documents, request.sources(), info->name.use)}};
}
