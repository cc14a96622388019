#pragma once
//===- StudyRequest.h - The study of a file that the command line means -----------------------===//
#include "driver/study/Study.h"
#include "tools/dplc/Session.h"

namespace dpl::tool {

/// Compiles the file and fills in the request, of the study of that name, or the only one where it
/// is empty. Null after a report. Relies on: the session is prepared.
std::unique_ptr<CompiledUnit> compileStudy(Session& session, const std::string& name,
                                           study::StudyRequest& request);

} // namespace dpl::tool
