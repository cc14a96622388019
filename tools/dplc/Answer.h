#pragma once
//===- Answer.h - What a command answers to a program -----------------------------------------===//
#include "support/Json.h"

namespace dpl::tool {

struct Answer {
  int code = 0;                     ///< exit code of the command
  std::string out;                  ///< what the command would write to standard output
  bool json = false;                ///< whether `out` is JSON, if it is not empty
  std::string messages;             ///< diagnostics as on standard error
  Json diagnostics = Json::array(); ///< the same as objects; empty if `out` has them
};

} // namespace dpl::tool
