//===- Server.cpp - The loop of a resident dplc -----------------------------------------------===//
#include "tools/dplc/serve/Server.h"
#include "support/FileIo.h"
#include "tools/dplc/CommandLine.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <thread>
#include <unistd.h>
using namespace dpl;
using namespace dpl::tool;

namespace {
/// Requests are not read while the client has this much of the output still to read.
constexpr std::size_t mostUnread = std::size_t{64} << 20;
/// Jobs that wait for others; one more is refused.
constexpr std::size_t mostWaiting = 10'000;

/// Makes a descriptor return instead of waiting, and restores it at the end.
class NonBlocking {
public:
  explicit NonBlocking(int descriptor)
      : descriptor(descriptor), before(::fcntl(descriptor, F_GETFL)) {
    (void)::fcntl(descriptor, F_SETFL, before | O_NONBLOCK);
  }
  ~NonBlocking() { (void)::fcntl(descriptor, F_SETFL, before); }
  NonBlocking(const NonBlocking&) = delete;
  NonBlocking& operator=(const NonBlocking&) = delete;

private:
  int descriptor, before;
};

Json envelope() { return Json{{"jsonrpc", "2.0"}}; }
} // namespace

std::string tool::resultText(const Json& id, Json result) {
  Json out = envelope();
  out.append("id", id);
  out.append("result", std::move(result));
  return out.dump();
}

std::string tool::errorText(const Json& id, RpcError code, std::string message, Json data) {
  Json error{{"code", static_cast<int>(code)}, {"message", std::move(message)}};
  if (!data.is_null())
    error.append("data", std::move(data));
  Json out = envelope();
  out.append("id", id);
  out.append("error", std::move(error));
  return out.dump();
}

std::string tool::notificationText(const std::string& method, Json params) {
  Json out = envelope();
  out.append("method", method);
  out.append("params", std::move(params));
  return out.dump();
}

std::string tool::requestText(const Json& id, const std::string& method, Json params) {
  Json out = envelope();
  out.append("id", id);
  out.append("method", method);
  if (!params.is_null())
    out.append("params", std::move(params));
  return out.dump();
}

void Server::send(std::string message) { output += framed(message, protocol.framing()); }

bool Server::isBusyWith(const Json& id) const {
  return llvm::any_of(waiting, [&](const Job& job) { return job.id == id; }) ||
         llvm::any_of(running, [&](const auto& process) { return process->job().id == id; });
}

void Server::submit(Job job) {
  if (isBusyWith(job.id))
    return send(errorText(job.id, RpcError::InvalidRequest,
                          "a request with this id has not been answered"));
  if (waiting.size() >= mostWaiting)
    return send(
        errorText(job.id, RpcError::Failed, fmt::format("{} requests wait already", mostWaiting)));
  waiting.push_back(std::move(job));
}

void Server::cancel(const Json& id, bool answers) {
  const auto cancelled = [&] {
    if (answers)
      send(errorText(id, RpcError::Cancelled, "the request was cancelled"));
  };
  const auto job = llvm::find_if(waiting, [&](const Job& one) { return one.id == id; });
  if (job != waiting.end()) {
    waiting.erase(job);
    return cancelled();
  }
  const auto process = llvm::find_if(running, [&](const auto& one) { return one->job().id == id; });
  if (process == running.end())
    return;
  const bool replied = (*process)->replied();
  running.erase(process);
  if (!replied)
    cancelled();
}

void Server::receive(const std::string& text) {
  JsonMistake mistake;
  Json message = Json::parse(text, &mistake);
  if (message.is_discarded())
    return send(errorText(nullptr, RpcError::NotJson,
                          fmt::format("not JSON at byte {}: {}", mistake.at, mistake.reason)));
  const Json* method = message.find("method");
  const Json* id = message.find("id");
  if (!method && id && (message.contains("result") || message.contains("error")))
    return; // a reply; the server asks nothing
  const bool named = id && (id->is_string() || id->is_number());
  if (!method || !method->is_string() || (id && !named) || message["jsonrpc"] != Json("2.0"))
    return send(errorText(named ? *id : Json(), RpcError::InvalidRequest,
                          "a request is {\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"…\", "
                          "\"params\": {…}}"));
  Request request{method->str(), id ? std::optional(*id) : std::nullopt, message["params"]};
  if (!request.params.is_null() && !request.params.is_object()) {
    if (id)
      send(errorText(*id, RpcError::InvalidParams, "`params` is an object"));
    return;
  }
  protocol.receive(*this, request);
}

void Server::receiveAll() {
  while (!ended) {
    const std::optional<FrameReader::Frame> frame = input.next();
    if (!frame)
      return;
    if (frame->mistake.empty())
      receive(frame->text);
    else
      send(errorText(nullptr, RpcError::NotJson, frame->mistake));
  }
}

/// False at the end of the input.
bool Server::readInput() {
  char bytes[65536];
  while (true) {
    const ssize_t got = ::read(STDIN_FILENO, bytes, sizeof bytes);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0 && errno == EAGAIN)
      return true;
    if (got <= 0)
      return false;
    input.append({bytes, static_cast<std::size_t>(got)});
    receiveAll();
    if (ended || protocol.isFull() || output.size() - written > mostUnread ||
        got < static_cast<ssize_t>(sizeof bytes))
      return true;
  }
}

/// Requests that were read are still answered. Half a message has no id to answer.
void Server::endInput() {
  inputEnded = true;
  const std::optional<FrameReader::Frame> frame = input.rest();
  if (!frame || ended)
    return;
  if (frame->mistake.empty())
    return receive(frame->text);
  exitCode = ExitIo;
  (void)writeAll(STDERR_FILENO, fmt::format("error: {}\n", frame->mistake));
}

/// False if nobody reads the output any more.
bool Server::writeOutput() {
  while (written < output.size()) {
    const ssize_t put = ::write(STDOUT_FILENO, output.data() + written, output.size() - written);
    if (put < 0 && errno == EINTR)
      continue;
    if (put < 0)
      return errno == EAGAIN;
    written += static_cast<std::size_t>(put);
  }
  std::string().swap(output); // a long answer is not kept
  written = 0;
  return true;
}

/// Hands a reply to the client, or keeps it for the server's own use.
void Server::deliver(const Job& job, std::string reply) {
  if (job.finish)
    replies.emplace_back(job.finish, std::move(reply));
  else
    send(std::move(reply));
}

void Server::startWaiting() {
  const std::size_t most = std::max(2U, std::thread::hardware_concurrency());
  while (!waiting.empty() && running.size() < most) {
    Job job = std::move(waiting.front());
    waiting.pop_front();
    const Json id = job.id;
    const auto finish = job.finish;
    if (std::unique_ptr<JobProcess> process = JobProcess::start(std::move(job), protocol))
      running.push_back(std::move(process));
    else if (finish)
      replies.emplace_back(finish, "");
    else
      send(errorText(id, RpcError::Internal, "the system cannot start a process"));
  }
}

void Server::readJobs(llvm::ArrayRef<short> events) {
  for (std::size_t i = events.size(); i-- > 0;) {
    const Job& job = running[i]->job();
    if (events[i] == 0 ||
        running[i]->read([&](std::string message) { deliver(job, std::move(message)); }))
      continue;
    if (!running[i]->replied()) {
      std::string reply = running[i]->replyOfEnded();
      deliver(job, std::move(reply));
    }
    running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

void Server::endLateJobs() {
  const auto now = JobProcess::Clock::now();
  for (auto process = running.begin(); process != running.end();) {
    if (!(*process)->deadline() || *(*process)->deadline() > now) {
      ++process;
      continue;
    }
    const Job& job = (*process)->job();
    if (!(*process)->replied())
      deliver(job, timeoutReply(job));
    process = running.erase(process);
  }
}

/// Milliseconds until the first job is late; 0 if work is left, and -1 if no job can be late.
int Server::pause() const {
  if (workLeft || !replies.empty())
    return 0;
  std::optional<JobProcess::Clock::time_point> first;
  for (const auto& process : running)
    if (const auto end = process->deadline(); end && (!first || *end < *first))
      first = end;
  if (!first)
    return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*first - JobProcess::Clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 3'600'000));
}

int Server::run() {
  const NonBlocking in(STDIN_FILENO), out(STDOUT_FILENO);
  std::vector<pollfd> watched;
  std::vector<short> events;
  while (!ended) {
    startWaiting();
    const bool idle = (running.empty() || !protocol.finishesJobs()) && replies.empty() && !workLeft;
    if (!writeOutput() || (inputEnded && idle && output.empty()))
      break;
    const bool reads = !inputEnded && !protocol.isFull() && output.size() - written <= mostUnread;
    const short writes = output.empty() ? 0 : POLLOUT;
    watched = {{reads ? STDIN_FILENO : -1, POLLIN, 0}, {STDOUT_FILENO, writes, 0}};
    for (const auto& process : running)
      watched.push_back({process->descriptor(), POLLIN, 0});
    if (::poll(watched.data(), watched.size(), pause()) < 0 && errno != EINTR)
      break;
    if ((watched[1].revents & (POLLERR | POLLHUP | POLLNVAL)) != 0)
      break;
    events.clear();
    for (std::size_t i = 2; i < watched.size(); ++i)
      events.push_back(watched[i].revents);
    readJobs(events);
    endLateJobs();
    if (watched[0].revents != 0 && !readInput())
      endInput();
    for (auto& [finish, reply] : std::exchange(replies, {}))
      finish(reply);
    workLeft = !ended && protocol.work(*this);
  }
  if (!ended && exitCode == ExitOk)
    exitCode = protocol.codeAtEnd();
  running.clear(); // ends the processes
  (void)writeOutput();
  return exitCode;
}
