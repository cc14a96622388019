//===- FigureChoice.cpp - The names of `--figures` --------------------------------------------===//
#include "tools/dplc/FigureChoice.h"
#include "ir/DrawnFigures.h"
#include "ir/FigureNames.h"
using namespace dpl;
using namespace dpl::tool;

bool tool::knowsFigures(Session& session, const std::vector<std::string>& names,
                        const ir::Space* study) {
  const auto isKnown = [&](const std::string& name) {
    const std::string path = ir::pathWritten(name);
    return ir::figureNamed(path) ||
           (study && (ir::drawnFigureNamed(path) || study->derivedNamed(path)));
  };
  for (auto name = names.begin(); name != names.end(); ++name)
    if (std::find(names.begin(), name, *name) != name) {
      session.wrongUsage(fmt::format("--figures: `{}` is given twice", *name));
      return false;
    }
  const auto unknown = llvm::find_if_not(names, isKnown);
  if (unknown == names.end())
    return true;
  std::vector<std::string> known;
  for (const ir::FigureRow& row : ir::figureRows())
    if (!row.hasHoles())
      known.emplace_back(row.path);
  if (study)
    for (const ir::DerivedOutput& derived : study->derived)
      known.push_back(derived.name);
  session.wrongUsage(fmt::format("--figures: there is no figure `{}`", *unknown),
                     didYouMean(nearNames(*unknown, known),
                                "`dplc report FILE --json` lists the figures of a layout"));
  return false;
}
