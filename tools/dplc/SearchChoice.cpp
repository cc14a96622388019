//===- SearchChoice.cpp - The search of a file that the command line means --------------------===//
#include "tools/dplc/SearchChoice.h"
#include "support/Near.h"
#include "support/diagnostics/Search.h"
using namespace dpl;
using namespace dpl::tool;

namespace {
/// All searches of the file, then all layouts. A search without a model or cluster has no plan.
std::vector<SearchedBlock> searchable(CompiledFile& file) {
  std::vector<SearchedBlock> out;
  for (const NamedBlock& block : file.searches) {
    const auto plan = llvm::find_if(
        file.searched, [&](const ir::Plan& one) { return one.layout.name == block.name; });
    out.push_back({block, plan == file.searched.end() ? nullptr : &*plan});
  }
  for (ir::Plan& plan : file.plans)
    out.push_back({{plan.layout.name, plan.layout.rangeOf("")}, &plan});
  return out;
}

} // namespace

std::optional<SearchedBlock> tool::chooseSearch(Session& session, CompiledFile& file,
                                                const std::string& path, const std::string& asked) {
  const std::vector<SearchedBlock> all = searchable(file);
  const bool anySearch = !file.searches.empty();
  const std::size_t candidates = anySearch ? file.searches.size() : all.size();
  const auto named =
      llvm::find_if(all, [&](const SearchedBlock& one) { return one.block.name == asked; });
  std::vector<std::string> names;
  for (const SearchedBlock& one : all)
    names.push_back(one.block.name);
  if (asked.empty() && candidates > 1) {
    (void)session.diags
        .report<diag::SearchNeeded>({}, path, candidates, anySearch ? "searches" : "layouts")
        .help(fmt::format("name it: `dplc search {} {}`; it has {}", path, names.front(),
                          alternatives(names)));
    return std::nullopt;
  }
  if (all.empty() || (!asked.empty() && named == all.end())) {
    (void)session.diags
        .report<diag::NoSuchSearch>({}, path, asked.empty() ? "" : fmt::format(" `{}`", asked))
        .help(names.empty()
                  ? "a search is `search layout NAME for MODEL on CLUSTER { … minimize step_time }`"
                  : didYouMean(nearNames(asked, names), "it has " + alternatives(names)));
    return std::nullopt;
  }
  SearchedBlock chosen = asked.empty() ? all.front() : *named;
  if (!chosen.plan) {
    (void)session.diags.report<diag::NoSuchSearch>(chosen.block.range, path, " that can be run")
        .help(fmt::format("`search layout {} for MODEL on CLUSTER` names both", chosen.block.name));
    return std::nullopt;
  }
  return chosen;
}
