//===- Progress.cpp - A line about a long command on the terminal -----------------------------===//
#include "support/Progress.h"
#include "support/FileIo.h"
#include <fmt/format.h>
#include <unistd.h>
using namespace dpl;

void Progress::begin(int descriptor, std::string shown, Milliseconds after) {
  if (running || !::isatty(descriptor))
    return;
  terminal = descriptor, text = std::move(shown), delay = after, ended = false;
  const auto start = [](void* progress) -> void* {
    static_cast<Progress*>(progress)->write();
    return nullptr;
  };
  running = pthread_create(&writer, nullptr, start, this) == 0; // std::thread would throw
}

void Progress::set(std::uint64_t done, std::uint64_t all, const char* name, std::string last) {
  const std::lock_guard lock(mutex);
  unitsDone = done, units = all, unitName = name, note = std::move(last);
  if (listening)
    listening(done, all, name, note);
}

void Progress::end() {
  if (!running)
    return;
  {
    const std::lock_guard lock(mutex);
    ended = true;
  }
  wake.notify_all();
  pthread_join(writer, nullptr);
  running = false;
}

void Progress::write() {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  std::unique_lock lock(mutex);
  std::size_t width = 0;
  for (Milliseconds pause = delay; !wake.wait_for(lock, pause, [this] { return ended; });
       pause = Milliseconds(500)) {
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    std::string shown = line(text, seconds, unitsDone, units, unitName) + note;
    const std::size_t length = shown.size();
    shown.append(width > length ? width - length : 0, ' '); // blanks over the rest of the previous
                                                            // line
    width = length;
    (void)writeAll(terminal, "\r" + shown);
  }
  if (width > 0)
    (void)writeAll(terminal, "\r" + std::string(width, ' ') + "\r");
}

std::string Progress::line(const std::string& text, double seconds, std::uint64_t done,
                           std::uint64_t all, const char* name) {
  std::string out = fmt::format("{}: {:.0f} s", text, seconds);
  if (name && all == 0)
    out += fmt::format(", {} {}", done, name);
  else if (name)
    out += fmt::format(", {} of {} {}", done, all, name);
  if (done > 0 && done < all)
    out += fmt::format(", {:.0f} s left",
                       seconds / static_cast<double>(done) * static_cast<double>(all - done));
  return out;
}
