#pragma once
//===- PageLayout.h - One layout in the data of a page ----------------------------------------===//
#include "figures/Figures.h"
#include "support/Json.h"

namespace dpl::report {

/// The parts of a page about one layout; page/README.md describes them. `report` is its
/// `reportJson`, which the result does not repeat. `layouts` is the number of layouts that share
/// the page. Relies on: a complete plan.
Json pageLayoutJson(const ir::Plan& plan, const Json& report, figures::FieldLocator where,
                    std::size_t layouts = 1);

/// Leaves at most 4,000 moments, divided by `layouts`, in the `memoryJson` of a page: of
/// neighbouring moments the fullest.
void thinMemory(Json& memory, std::size_t layouts = 1);
/// Leaves rows with at most 80,000 values in the JSON of a study, from all parts of the table.
/// `rows_left_out` is the number of other rows; absent without any.
void thinRows(Json& study);

} // namespace dpl::report
