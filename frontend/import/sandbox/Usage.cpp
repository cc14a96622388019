//===- Usage.cpp - Resource use of the descendants of a process -------------------------------===//
#include "frontend/import/sandbox/Sandbox.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include <dirent.h>
#include <fcntl.h>
#include <map>
#include <unistd.h>

using namespace dpl;
using namespace dpl::imports;

namespace {
/// The beginning of a file in /proc; empty if the process has ended.
std::string beginningOf(const std::string& path) {
  char text[4096];
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return "";
  const ssize_t size = ::read(file, text, sizeof text);
  ::close(file);
  return {text, static_cast<std::size_t>(size < 0 ? 0 : size)};
}

std::uint64_t kibibytes(llvm::StringRef text, llvm::StringRef name) {
  const std::size_t at = text.find(name);
  std::uint64_t out = 0;
  if (at == llvm::StringRef::npos)
    return 0;
  (void)text.drop_front(at + name.size()).ltrim().take_while(llvm::isDigit).getAsInteger(10, out);
  return out << 10;
}

struct Process {
  std::uint64_t parent = 0, ticks = 0, pages = 0;
};

/// Parses the fields of /proc/N/stat that follow the name, which may contain any character.
Process processOf(llvm::StringRef stat) {
  llvm::SmallVector<llvm::StringRef, 32> fields;
  llvm::SplitString(stat.substr(stat.rfind(')') + 1), fields);
  const auto number = [&](std::size_t field) { // fields are numbered as in proc(5)
    std::uint64_t out = 0;
    if (field - 3 < fields.size())
      (void)fields[field - 3].getAsInteger(10, out);
    return out;
  };
  return {number(4), number(14) + number(15) + number(16) + number(17), number(24)};
}
} // namespace

sandbox::Usage sandbox::usageBelow(int process) {
  std::map<std::uint64_t, Process> all;
  if (DIR* const folder = ::opendir("/proc")) {
    while (const dirent* entry = ::readdir(folder)) {
      std::uint64_t id = 0;
      if (llvm::StringRef(entry->d_name).getAsInteger(10, id))
        continue;
      const std::string stat = beginningOf("/proc/" + std::string(entry->d_name) + "/stat");
      if (!stat.empty())
        all[id] = processOf(stat);
    }
    ::closedir(folder);
  }
  Usage out;
  std::uint64_t pages = 0, ticks = 0;
  for (const auto& [id, one] : all) {
    // The number of steps is limited, because a process number may be reused while the table is
    // read.
    std::uint64_t above = id;
    for (std::size_t steps = 0; above > 1 && steps < all.size(); ++steps) {
      if (above == static_cast<std::uint64_t>(process)) {
        pages += one.pages, ticks += one.ticks;
        break;
      }
      const auto found = all.find(above);
      above = found == all.end() ? 0 : found->second.parent;
    }
  }
  out.memory = pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  out.processorSeconds = static_cast<double>(ticks) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  const std::string machine = beginningOf("/proc/meminfo");
  out.shared = kibibytes(machine, "Shmem:") + kibibytes(machine, "SUnreclaim:");
  out.total = kibibytes(machine, "MemTotal:");
  out.available = kibibytes(machine, "MemAvailable:");
  return out;
}
