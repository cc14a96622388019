//===- JobProcess.cpp - The process that does one job -----------------------------------------===//
#include "tools/dplc/serve/JobProcess.h"
#include "support/FileIo.h"
#include "support/OpenTexts.h"
#include "support/diagnostics/Tools.h"
#include "tools/dplc/CommandLine.h"
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
// g++ and clang say it in different ways.
#if defined(__has_feature)
#define DPL_SANITIZED __has_feature(address_sanitizer)
#elif defined(__SANITIZE_ADDRESS__)
#define DPL_SANITIZED 1
#else
#define DPL_SANITIZED 0
#endif
using namespace dpl;
using namespace dpl::tool;

namespace {
/// The first byte of a message from the process of a job.
constexpr char isReply = 'R', isProgress = 'P';
constexpr std::chrono::milliseconds betweenProgress{100};

void silenceStandardStreams() {
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    (void)::dup2(null, stream);
}

/// Limits the memory that a process may write to. A sanitizer reserves more than any limit.
void limitMemory(std::uint64_t bytes) {
#if !DPL_SANITIZED
  const rlimit limit{bytes, bytes};
  (void)::setrlimit(RLIMIT_DATA, &limit);
#else
  (void)bytes;
#endif
}

[[noreturn]] void work(const Job& job, const Protocol& protocol, pid_t server, int to) {
  (void)::setpgid(0, 0);
  (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != server) // it ended before
    std::_Exit(ExitIo);
  silenceStandardStreams();
  if (job.limits.bytes)
    limitMemory(*job.limits.bytes);
  for (const auto& [path, text] : job.texts)
    openText(path, *text);
  const auto send = [&](char kind, const std::string& message) {
    return writeAll(to, framed(kind + message, Framing::Headers));
  };
  Answer answer;
  JobProcess::Clock::time_point last{};
  job.work(answer,
           [&](std::uint64_t done, std::uint64_t all, const char* unit, const std::string& note) {
             const auto now = JobProcess::Clock::now();
             if (job.progressToken.is_null() || now - last < betweenProgress)
               return;
             last = now;
             (void)send(isProgress, protocol.progressOf(job, done, all, unit ? unit : "", note));
           });
  std::_Exit(send(isReply, protocol.replyTo(job, answer)) ? ExitIo : ExitOk);
}

/// The reply to a job that failed, with the message as `dplc` prints it.
std::string failedReply(const Job& job, DiagnosticEngine& diags) {
  diags.endPhase();
  const SourceManager none;
  Json data{{"diagnostics", diagnosticsAsJson(diags, none)},
            {"messages", renderText(diags, none, false)}};
  return errorText(job.id, RpcError::Failed, diags.diagnostics().front().message, std::move(data));
}
} // namespace

std::string tool::timeoutReply(const Job& job) {
  DiagnosticEngine diags;
  (void)diags.report<diag::RequestTooLong>({}, job.name, *job.limits.seconds)
      .help("`limits` of the request allows more: {\"seconds\": 60}, or null for no limit");
  return failedReply(job, diags);
}

std::unique_ptr<JobProcess> JobProcess::start(Job job, const Protocol& protocol) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return nullptr;
  const pid_t server = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::close(ends[0]);
    if (!job.folder.empty() && ::chdir(job.folder.c_str()) != 0)
      std::_Exit(ExitUsage);
    work(job, protocol, server, ends[1]);
  }
  ::close(ends[1]);
  if (pid < 0) {
    ::close(ends[0]);
    return nullptr;
  }
  (void)::setpgid(pid, pid); // whichever of the two processes is first
  (void)::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return std::unique_ptr<JobProcess>(new JobProcess(std::move(job), pid, ends[0]));
}

JobProcess::JobProcess(Job job, pid_t pid, int from)
    : ordered(std::move(job)), pid(pid), from(from) {
  if (ordered.limits.seconds)
    end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                             std::chrono::duration<double>(*ordered.limits.seconds));
}

JobProcess::~JobProcess() {
  ::close(from);
  if (pid > 0) {
    (void)::kill(-pid, SIGKILL);
    (void)::kill(pid, SIGKILL);
    (void)::waitpid(pid, nullptr, 0);
  }
}

bool JobProcess::read(const std::function<void(std::string)>& send) {
  char bytes[65536];
  while (true) {
    const ssize_t got = ::read(from, bytes, sizeof bytes);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0 && errno == EAGAIN)
      return true;
    if (got <= 0)
      return false;
    frames.append({bytes, static_cast<std::size_t>(got)});
    while (std::optional<FrameReader::Frame> frame = frames.next()) {
      answered = answered || frame->text.front() == isReply;
      send(frame->text.substr(1));
    }
  }
}

std::string JobProcess::replyOfEnded() {
  int status = 0;
  (void)::waitpid(std::exchange(pid, -1), &status, 0);
  DiagnosticEngine diags;
  const bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL; // by the system
  if (WIFEXITED(status) && WEXITSTATUS(status) == ExitUsage)
    return errorText(ordered.id, RpcError::InvalidParams,
                     "`directory`: there is no folder `" + ordered.folder + "`");
  if (killed || (WIFEXITED(status) && WEXITSTATUS(status) == ExitIo))
    (void)diags
        .report<diag::RequestTooLarge>(
            {}, ordered.name,
            ordered.limits.bytes ? fmt::format("{} B", *ordered.limits.bytes) : "the machine has")
        .help("`limits` of the request allows more: {\"bytes\": 8e9}, or null for no limit");
  else
    (void)diags
        .report<diag::RequestBroken>({}, ordered.name,
                                     WIFSIGNALED(status)
                                         ? std::string(::strsignal(WTERMSIG(status))) // NOLINT
                                         : fmt::format("exit code {}", WEXITSTATUS(status)))
        .help("this is a mistake of dplc; please report the request");
  return failedReply(ordered, diags);
}
