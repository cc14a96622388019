//===- Options.h - The program's command line -------------------------------------------------===//
#pragma once
#include <string>

namespace twin {

struct Options {
  double scale = 1;               ///< of durations and buffers
  unsigned checked = 1;           ///< steps whose every result is checked
  unsigned warmUp = 1, timed = 3; ///< steps without checks
  double timeout = 60;            ///< seconds that one operation may take
  std::string json;               ///< file for the times; empty for none
  bool help = false;
  std::string error; ///< what is wrong with the command line

  static Options parse(int argc, char** argv);
  static const char* usage();
};

} // namespace twin
