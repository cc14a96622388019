//===- Execute.cpp - Starts bubblewrap, reads its output and ends it --------------------------===//
//
// The kernel limits each process: its memory, files and time, and, per namespace, the number of
// processes. This file limits what all processes use together. When bubblewrap ends, the first
// process of their namespace ends, and with it all others.
#include "frontend/import/sandbox/Sandbox.h"
#include "support/Utf8.h"
#include "support/diagnostics/Imports.h"
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace dpl;
using namespace dpl::imports;
using namespace dpl::imports::sandbox;

namespace {

constexpr unsigned nobody = 65534;

/// A file descriptor that the destructor closes.
class Descriptor {
public:
  Descriptor() = default;
  explicit Descriptor(int number) : number(number) {}
  Descriptor(Descriptor&& o) noexcept : number(std::exchange(o.number, -1)) {}
  Descriptor& operator=(Descriptor&& o) noexcept {
    std::swap(number, o.number);
    return *this;
  }
  ~Descriptor() { close(); }
  int get() const { return number; }
  void close() {
    if (number >= 0)
      ::close(std::exchange(number, -1));
  }

private:
  int number = -1;
};

struct PipePair {
  Descriptor reads, writes;
  bool open() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
      return false;
    reads = Descriptor(ends[0]), writes = Descriptor(ends[1]);
    return true;
  }
};

std::string bubblewrap() {
  const char* const path = std::getenv("PATH");
  llvm::StringRef rest = path ? path : "", folder;
  while (!rest.empty()) {
    std::tie(folder, rest) = rest.split(':');
    const std::string file = folder.str() + "/bwrap";
    if (folder.startswith("/") && ::access(file.c_str(), X_OK) == 0)
      return file;
  }
  return "";
}

/// The child process between fork and exec. It allocates no memory. At the first failure it reports
/// the reason and exits.
class Child {
public:
  Child(const Limits& limits, int tells) : limits(limits), tells(tells) {}

  void become(char* const* words, int out, int records, llvm::ArrayRef<int> documents) {
    // Only the descriptors that are passed on below survive the exec.
    must(::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) == 0, "open files cannot be kept from it");
    const int nothing = ::open("/dev/null", O_RDONLY);
    must(nothing >= 0 && ::dup2(nothing, 0) == 0 && ::dup2(out, 1) == 1 && ::dup2(out, 2) == 2 &&
             ::dup2(records, recordPipe) == recordPipe && ::dup2(out, outputCopy) == outputCopy,
         "its pipes cannot be opened");
    for (std::size_t i = 0; i < documents.size(); ++i) {
      const int number = firstDocument + static_cast<int>(i);
      must(::dup2(documents[i], number) == number, "its pipes cannot be opened");
    }
    for (int signal = 1; signal < NSIG; ++signal)
      (void)::signal(signal, SIG_DFL);
    limit(RLIMIT_AS, limits.memory, "memory cannot be limited");
    limit(RLIMIT_FSIZE, limits.fileSize, "the size of files cannot be limited");
    limit(RLIMIT_CPU, limits.processorSeconds, "processor time cannot be limited");
    limit(RLIMIT_NOFILE, limits.openFiles, "open files cannot be limited");
    limit(RLIMIT_CORE, 0, "core files cannot be turned off");
    // Linux does not limit the number of processes of root.
    if (::getuid() == 0)
      must(::setgroups(0, nullptr) == 0 && ::setresgid(nobody, nobody, nobody) == 0 &&
               ::setresuid(nobody, nobody, nobody) == 0,
           "root cannot become nobody");
    must(processesAreLimited(), "the number of processes cannot be limited");
    must(::chdir("/") == 0, "it cannot leave this folder");
    ::execv(words[0], words);
    must(false, "bubblewrap cannot be started");
  }

private:
  void must(bool holds, const char* otherwise) const {
    if (holds)
      return;
    (void)!::write(tells, otherwise, std::strlen(otherwise));
    ::_exit(1);
  }
  /// Sets a limit, but not above the limit that is already set.
  template <class Resource>
  void limit(Resource resource, std::uint64_t most, const char* otherwise) const {
    rlimit now{};
    must(::getrlimit(resource, &now) == 0, otherwise);
    const rlim_t value = now.rlim_max == RLIM_INFINITY || now.rlim_max > most ? most : now.rlim_max;
    const rlimit wanted{value, value};
    must(::setrlimit(resource, &wanted) == 0, otherwise);
  }
  /// Checks by a fork that the limit is enforced, because some kernels accept it and do not enforce
  /// it.
  bool processesAreLimited() const {
    rlimit before{};
    if (::getrlimit(RLIMIT_NPROC, &before) != 0)
      return false;
    const rlimit none{0, before.rlim_max};
    if (::setrlimit(RLIMIT_NPROC, &none) != 0)
      return false;
    const pid_t child = ::fork();
    if (child == 0)
      ::_exit(0);
    if (child > 0)
      (void)::waitpid(child, nullptr, 0);
    return child < 0 && errno == EAGAIN && ::setrlimit(RLIMIT_NPROC, &before) == 0;
  }

  const Limits& limits;
  int tells;
};

/// Reads what is available. Returns false at the end of the file.
bool readSome(int from, std::string& into) {
  std::array<char, 65536> buffer{};
  const ssize_t size = ::read(from, buffer.data(), buffer.size());
  if (size > 0)
    into.append(buffer.data(), static_cast<std::size_t>(size));
  return size > 0 || (size < 0 && (errno == EINTR || errno == EAGAIN));
}

/// Reads the pipes of a running script and watches its resource use.
class Watch {
public:
  Watch(pid_t process, const Limits& limits) : process(process), limits(limits) {
    before = usageBelow(process);
  }

  /// Waits until the script ends. Returns the limit that was reached, or "".
  std::string until(int outPipe, int recordsPipe) {
    pipes[0].fd = outPipe, pipes[1].fd = recordsPipe;
    while (true) {
      readPipes();
      if (!ended && ::waitpid(process, &out.status, WNOHANG) == process)
        ended = true;
      const std::string why = reached();
      if (!ended && why.empty())
        continue;
      end();
      return why;
    }
  }

  ScriptOutput out;

private:
  using Clock = std::chrono::steady_clock;

  std::string reached() {
    if (out.output.size() > limits.output)
      return fmt::format("it wrote more than {} bytes", limits.output);
    if (out.records.size() > limits.records)
      return fmt::format("the record of what it started has more than {} bytes", limits.records);
    const auto now = Clock::now();
    if (now - began > std::chrono::seconds(limits.seconds))
      return fmt::format("it took more than {} s", limits.seconds);
    if (ended || now - looked < std::chrono::milliseconds(10))
      return "";
    looked = now;
    const Usage usage = usageBelow(process);
    if (usage.processorSeconds > limits.processorSeconds)
      return fmt::format("it took more than {} s of processor time", limits.processorSeconds);
    const bool low = usage.available < usage.total / 16 && usage.available < before.available;
    if (usage.memory > limits.memory || usage.shared > before.shared + limits.memory || low)
      return fmt::format("it took more than {} MiB of memory", limits.memory >> 20);
    return "";
  }

  /// Kills the process, and waits until its descendants have closed the pipes.
  void end() {
    if (!ended) {
      (void)::kill(process, SIGKILL);
      (void)::waitpid(process, &out.status, 0);
    }
    const auto from = Clock::now();
    while ((pipes[0].fd >= 0 || pipes[1].fd >= 0) && Clock::now() - from < std::chrono::seconds(5))
      readPipes();
  }

  void readPipes() {
    (void)::poll(pipes.data(), pipes.size(), 10);
    const std::array<std::string*, 2> into{&out.output, &out.records};
    for (std::size_t i = 0; i < pipes.size(); ++i)
      if (pipes[i].fd >= 0 && pipes[i].revents != 0 && !readSome(pipes[i].fd, *into[i]))
        pipes[i].fd = -1;
  }

  pid_t process;
  const Limits& limits;
  Usage before;
  std::array<pollfd, 2> pipes{{{-1, POLLIN, 0}, {-1, POLLIN, 0}}};
  bool ended = false;
  Clock::time_point began = Clock::now(), looked = began;
};
} // namespace

FailureOr<ScriptOutput> sandbox::execute(const ScriptRun& run, DiagnosticEngine& diags) {
  const std::string name = oneLine(run.script);
  const auto refused = [&](const std::string& why) {
    return diags.report<diag::ImportNotRun>({}, name, why);
  };
  const std::string program = bubblewrap();
  if (program.empty())
    return refused("bubblewrap, which isolates it, is not installed")
        .help("`apt-get install bubblewrap`; without `--run` the script is read");
  const FailureOr<BubblewrapCall> collective = callFor(run, program, diags);
  if (collective.failed())
    return LogicalResult::failure();
  PipePair said, records, tells;
  std::vector<PipePair> texts(collective->documents.size());
  bool opened = said.open() && records.open() && tells.open();
  std::vector<int> documents;
  for (std::size_t i = 0; opened && i < texts.size(); ++i) {
    const std::string& text = collective->documents[i];
    opened = texts[i].open() && ::write(texts[i].writes.get(), text.data(), text.size()) ==
                                    static_cast<ssize_t>(text.size());
    texts[i].writes.close();
    documents.push_back(texts[i].reads.get());
  }
  // The fixed descriptor numbers of the child must not overwrite descriptors that it still has to
  // copy.
  if (!opened || (!documents.empty() && documents.back() >= recordPipe))
    return refused("its pipes cannot be opened");
  std::vector<char*> words;
  for (const std::string& word : collective->words)
    words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);

  const pid_t process = ::fork();
  if (process < 0)
    return refused("no process can be started");
  if (process == 0)
    Child(run.limits, tells.writes.get())
        .become(words.data(), said.writes.get(), records.writes.get(), documents);
  said.writes.close(), records.writes.close(), tells.writes.close();
  std::string failure;
  while (readSome(tells.reads.get(), failure))
    ;
  if (!failure.empty()) {
    (void)::waitpid(process, nullptr, 0);
    return refused(failure);
  }
  Watch watch(process, run.limits);
  const std::string stopped = watch.until(said.reads.get(), records.reads.get());
  llvm::StringRef told = watch.out.records;
  if (!told.consume_front(ready)) {
    const int status = watch.out.status;
    const bool own = WIFEXITED(status) && WEXITSTATUS(status) == lacking;
    return refused(!stopped.empty()
                       ? stopped
                       : (own ? "" : "bubblewrap says: ") + lastWords(watch.out.output));
  }
  if (!stopped.empty())
    return diags.report<diag::ImportStopped>({}, name, stopped);
  watch.out.records = told.str();
  watch.out.status = WIFEXITED(watch.out.status) ? WEXITSTATUS(watch.out.status) : 128;
  return watch.out;
}
