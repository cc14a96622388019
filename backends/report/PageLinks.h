#pragma once
//===- PageLinks.h - The load of the links in the data of a page ------------------------------===//
#include "figures/Figures.h"
#include "support/Json.h"

namespace dpl::report {

/// The rows of `links`. Their numbers are added to `details` as figures with a derivation:
/// `link[LINK].busy_share`, `.busy` and `.sent`, and `link[LINK].sent[USER]` of each user. Relies
/// on: a complete plan.
Json linksJson(const ir::Plan& plan, const figures::Figures& figures, Json& details);

} // namespace dpl::report
