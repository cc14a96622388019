#pragma once
//===- StudyRequest.h - The study of a file that the command line means -----------------------===//
#include "driver/study/Study.h"
#include "tools/dplc/Session.h"

namespace dpl::tool {

/// Compiles the file and fills in the request for the study with this name, or for its only study
/// if the name is empty. Null after a report. Relies on: the session is prepared.
std::unique_ptr<CompiledUnit> compileStudy(Session& session, const std::string& name,
                                           study::StudyRequest& request);

} // namespace dpl::tool
