#pragma once
//===- WhyAnswer.h - The answer of `dplc report --why` ----------------------------------------===//
#include "tools/dplc/Session.h"

namespace dpl::tool {

/// Prints what sets a field and the derivation of a figure, as text or JSON; reports a path that is
/// neither.
void answerWhy(Session& session, const std::string& asked, const ir::Plan& plan,
               const CompiledUnit& unit);

} // namespace dpl::tool
