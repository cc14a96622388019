//===- Options.cpp - The program's command line -----------------------------------------------===//
#include "Options.h"
#include <cmath>
#include <cstdlib>

namespace twin {
namespace {
bool number(const std::string& text, double& out) {
  char* end = nullptr;
  out = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == 0 && std::isfinite(out);
}
bool count(const std::string& text, unsigned& out) {
  double value = 0;
  if (!number(text, value) || value < 0 || value > 1e6 || value != std::floor(value))
    return false;
  out = static_cast<unsigned>(value);
  return true;
}
} // namespace

const char* Options::usage() {
  return "Runs the communication of one plan, in its order, and checks every result.\n"
         "\n"
         "  --scale X      computation and buffers are X of the plan's, 0 < X <= 1 (1)\n"
         "  --checked N    steps whose every result and message is checked (1)\n"
         "  --warm-up N    steps that are neither checked nor timed (1)\n"
         "  --steps N      timed steps (3)\n"
         "  --timeout S    seconds that an operation may take before the job is ended (60)\n"
         "  --json FILE    where rank 0 writes the time of each operation of each pipeline rank\n"
         "  --help\n"
         "\n"
         "A buffer keeps at least one word of 4 bytes for each rank of its group.\n"
         "Exit status: 0 all as expected, 1 a wrong result, 2 usage, 3 something took too long.\n";
}

Options Options::parse(int argc, char** argv) {
  Options o;
  for (int i = 1; i < argc && o.error.empty(); ++i) {
    const std::string name = argv[i];
    if (name == "--help") {
      o.help = true;
      continue;
    }
    const std::string value = i + 1 < argc ? argv[++i] : "";
    bool good = true;
    if (name == "--scale")
      good = number(value, o.scale) && o.scale > 0 && o.scale <= 1;
    else if (name == "--checked")
      good = count(value, o.checked);
    else if (name == "--warm-up")
      good = count(value, o.warmUp);
    else if (name == "--steps")
      good = count(value, o.timed);
    else if (name == "--timeout")
      good = number(value, o.timeout) && o.timeout > 0;
    else if (name == "--json")
      good = !(o.json = value).empty();
    else
      o.error = "unknown option '" + name + "'; --help lists them";
    if (!good)
      o.error = "'" + value + "' is not a value for " + name;
  }
  return o;
}

} // namespace twin
