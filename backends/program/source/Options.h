//===- Options.h - The program's command line -------------------------------------------------===//
#pragma once
#include <string>

namespace twin {

struct Options {
  double scale = 1;               ///< scale of durations and buffers
  unsigned checked = 1;           ///< steps whose results are all checked
  unsigned warmUp = 1, timed = 3; ///< steps without checks
  double timeout = 60;            ///< timeout of one operation in seconds
  std::string json;               ///< output file for the times; empty for none
  bool help = false;
  std::string error; ///< error in the command line

  static Options parse(int argc, char** argv);
  static const char* usage();
};

} // namespace twin
