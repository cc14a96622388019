//===- Terminal.cpp - Width of the screens, and whether they have colours ---------------------===//
#include "tools/dplc/Terminal.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>
using namespace dpl;

namespace {
constexpr unsigned narrowest = 60, widest = 1000;
} // namespace

std::optional<unsigned> tool::requestedWidth() {
  unsigned wanted = 0;
  if (const char* set = std::getenv("COLUMNS");
      set && !llvm::StringRef(set).getAsInteger(10, wanted) && wanted > 0)
    return std::clamp(wanted, narrowest, widest);
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return std::clamp<unsigned>(size.ws_col, narrowest, widest);
  return std::nullopt;
}

unsigned tool::terminalWidth() { return requestedWidth().value_or(100); }
unsigned tool::pageWidth() { return requestedWidth().value_or(widest); }
unsigned tool::pictureWidth() { return requestedWidth().value_or(80); }

bool tool::hasColour(int descriptor) {
  const char* plain = std::getenv("NO_COLOR");
  return ::isatty(descriptor) && !(plain && *plain);
}
