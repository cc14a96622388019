#pragma once
//===- Progress.h - A line about a long command on the terminal -------------------------------===//
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <pthread.h>
#include <string>

namespace dpl {

/// A line on a terminal that says how long a command has run and how much is done. It appears after
/// a delay, is rewritten every half second, and is erased at the end.
class Progress {
public:
  using Milliseconds = std::chrono::milliseconds;
  static constexpr Milliseconds usualDelay{2000};

  Progress() = default;
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { end(); }

  /// Starts a thread that writes `text` and the time to the descriptor, if that is a terminal.
  /// Nothing is written if the system cannot start a thread.
  void begin(int descriptor, std::string text, Milliseconds delay = usualDelay);
  using Listener = std::function<void(std::uint64_t done, std::uint64_t all, const char* unit,
                                      const std::string& note)>;
  /// Calls the listener in every `set`, one call at a time.
  void listen(Listener listener) { listening = std::move(listener); }
  /// Sets how many of `all` units are done; `all` of 0 means that the number of units is unknown.
  /// `name` is the plural of the unit, and `note` ends the line. Any thread may call this.
  void set(std::uint64_t done, std::uint64_t all, const char* name, std::string note = "");
  /// Erases the line. Output to the terminal must come after this call.
  void end();

  /// The text of the line: "dplc study: 12 s, 40 of 100 points, 18 s left".
  static std::string line(const std::string& text, double seconds, std::uint64_t done,
                          std::uint64_t all, const char* name);

private:
  void write();

  pthread_t writer{};
  bool running = false; ///< whether `writer` is a running thread
  int terminal = -1;    ///< descriptor of the terminal
  std::string text;
  Milliseconds delay{};
  std::mutex mutex; ///< guards the members below
  std::condition_variable wake;
  bool ended = false;
  std::uint64_t unitsDone = 0, units = 0;
  const char* unitName = nullptr;
  std::string note;
  Listener listening;
};

} // namespace dpl
