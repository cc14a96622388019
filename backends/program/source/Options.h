//===- Options.h - The program's command line -------------------------------------------------===//
#pragma once
#include <string>

namespace twin {

struct Options {
  double scale = 1;               ///< factor on durations and buffer sizes
  unsigned checked = 1;           ///< number of steps in which all results are checked
  unsigned warmUp = 1, timed = 3; ///< numbers of steps without checks, before the measurement and
                                  ///< in it
  double timeout = 60;            ///< timeout of one operation in seconds
  std::string json;               ///< output file for the times; empty for none
  bool help = false;
  std::string error; ///< error in the command line, as text; empty if there is none

  static Options parse(int argc, char** argv);
  static const char* usage();
};

} // namespace twin
