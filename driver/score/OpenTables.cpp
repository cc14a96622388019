//===- OpenTables.cpp - Tables of measured runs and their mappings ----------------------------===//
#include "driver/score/OpenTables.h"
#include "support/FileIo.h"
#include "support/Near.h"
#include "support/Utf8.h"
#include "support/diagnostics/Score.h"
using namespace dpl;
using namespace dpl::score;

namespace {
std::vector<Mapping> withFields(std::vector<Mapping> mappings, const ScoreOptions& options) {
  for (Mapping& mapping : mappings)
    for (const auto& [path, value] : options.fields)
      mapping.give(path, value);
  return mappings;
}

/// The mapping that the options name, or the built-in mappings.
FailureOr<std::vector<Mapping>> mappingsFor(const ScoreOptions& options, SourceManager& sources,
                                            DiagnosticEngine& diags) {
  std::vector<Mapping> out;
  if (!options.mapping.empty()) {
    const FailureOr<std::uint32_t> file = loadSource(sources, diags, options.mapping);
    if (file.failed())
      return LogicalResult::failure();
    FailureOr<Mapping> given =
        Mapping::parse(options.mapping, sources.text(*file).str(), sources, diags);
    if (given.failed())
      return LogicalResult::failure();
    out.push_back(std::move(*given));
    return withFields(std::move(out), options);
  }
  for (const CarriedMapping& carried : carriedMappings()) {
    FailureOr<Mapping> made =
        Mapping::parse(carried.name.str(), carried.text.str(), sources, diags);
    if (made.failed())
      return LogicalResult::failure();
    out.push_back(std::move(*made));
  }
  return withFields(std::move(out), options);
}

/// The first mapping whose required columns the table has; null after a report on the nearest one.
const Mapping* mappingOf(const CsvTable& table, const std::vector<Mapping>& mappings,
                         SourceManager& sources, DiagnosticEngine& diags) {
  const Mapping* nearest = nullptr;
  std::vector<std::string> fewest;
  std::size_t most = 0;
  for (const Mapping& mapping : mappings) {
    std::vector<std::string> missing = mapping.missingFrom(table.header());
    if (missing.empty())
      return &mapping;
    // The nearest mapping is the one that has most of the table's columns; of equal ones the last,
    // which is for runs.
    const std::size_t knows = mapping.columnsIn(table.header());
    if (!nearest || knows >= most)
      most = knows, nearest = &mapping, fewest = std::move(missing);
  }
  std::vector<std::string> names;
  for (const Cell& cell : table.header().cells)
    names.push_back(validUtf8(cell.text));
  Finding missing = finding<diag::TableColumnMissing>(
      0, static_cast<std::uint32_t>(table.header().raw.size()), fewest.front());
  missing.message.help =
      didYouMean(nearNames(fewest.front(), names),
                 fmt::format("mapping `{}` needs {}; another mapping is given by `--mapping`",
                             nearest->name(), alternatives(fewest)));
  issue(missing, table, table.header(), sources, diags);
  return nullptr;
}
} // namespace

LogicalResult score::forEachTable(llvm::ArrayRef<std::string> paths, const ScoreOptions& options,
                                  SourceManager& sources, DiagnosticEngine& diags,
                                  llvm::function_ref<void(CsvTable&, const Mapping&)> visit) {
  const FailureOr<std::vector<Mapping>> mappings = mappingsFor(options, sources, diags);
  if (mappings.failed())
    return LogicalResult::failure();
  for (const std::string& path : paths) {
    FailureOr<std::unique_ptr<CsvTable>> table = CsvTable::open(path, diags);
    if (table.failed())
      return LogicalResult::failure();
    if (const std::optional<Finding> fault = (*table)->headerFault()) {
      issue(*fault, **table, (*table)->header(), sources, diags);
      return LogicalResult::failure();
    }
    const Mapping* mapping = mappingOf(**table, *mappings, sources, diags);
    if (!mapping)
      return LogicalResult::failure();
    for (const std::size_t at : mapping->unreadIn((*table)->header())) {
      const Cell& cell = (*table)->header().cells[at];
      Finding unread =
          finding<diag::TableColumnUnread>(cell, mapping->name(), validUtf8(cell.text));
      if (const std::string near = mapping->nearestTo(cell.text); !near.empty())
        unread.message.help = fmt::format("did you mean `{}`?", near);
      issue(unread, **table, (*table)->header(), sources, diags);
    }
    visit(**table, *mapping);
  }
  return LogicalResult::success();
}
