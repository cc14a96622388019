//===- Sandbox.cpp - The files, environment and limits that an executed script sees -----------===//
#include "frontend/import/sandbox/Sandbox.h"
#include "support/Utf8.h"
#include "support/diagnostics/Imports.h"
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

using namespace dpl;
using namespace dpl::imports;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t mostFiles = 200'000;

/// Whether a folder is likely to hold more than the files of one script.
bool isShared(const fs::path& folder) {
  const char* const home = std::getenv("HOME");
  std::error_code failed;
  if (home && *home != '\0' && fs::canonical(home, failed) == folder)
    return true;
  if (folder.parent_path() == "/home")
    return true;
  // Subfolders of system folders, such as /var/tmp and /run/user, are shared too.
  for (const char* const own : {"/var", "/run", "/dev", "/proc", "/sys", "/etc", "/usr", "/mnt"})
    if (folder == own || folder.parent_path() == own)
      return true;
  for (const char* const own : {"/", "/home", "/root", "/tmp", "/boot", "/opt", "/srv", "/media"})
    if (folder == own)
      return true;
  return false;
}

/// The name of a file in the folder that connects to another process, such as a socket; empty if
/// there is none. A read-only mount would not prevent its use.
std::string wayOut(const fs::path& folder) {
  std::error_code failed;
  std::size_t seen = 0;
  const auto options = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator at(folder, options, failed), end; at != end && !failed;
       at.increment(failed)) {
    const fs::file_type type = at->symlink_status(failed).type();
    if (type == fs::file_type::socket || type == fs::file_type::fifo)
      return fmt::format("its folder holds `{}`, through which it could reach another program",
                         oneLine(at->path().lexically_relative(folder).string()));
    if (++seen == mostFiles)
      return fmt::format("its folder holds more than {} files", mostFiles);
  }
  return "";
}

/// The canonical path of the folder that contains the script.
FailureOr<fs::path> folderOf(const std::string& script, DiagnosticEngine& diags) {
  std::error_code failed;
  const fs::path parent = fs::path(script).parent_path();
  const fs::path folder = fs::canonical(parent.empty() ? "." : parent, failed);
  std::string why;
  if (failed)
    why = "its folder cannot be read";
  else if (isShared(folder))
    why = fmt::format("all of its folder would be visible, and `{}` holds more than the script",
                      oneLine(folder.string()));
  else
    why = wayOut(folder);
  if (!why.empty())
    return diags.report<diag::ImportNotRun>({}, oneLine(script), why)
        .help("move it to a folder of its own");
  return folder;
}

std::string mebibytes(std::uint64_t bytes) { return fmt::format("{} MiB", bytes >> 20); }

/// Shell code that sets the last limit, checks the devices, and then starts the script with its
/// environment. Only from then on do variables such as BASH_ENV, SHELLOPTS and LD_PRELOAD take
/// effect. When the script has ended, background processes have up to 2 s to reach their stand-in.
std::string beginning(const sandbox::Limits& limits) {
  return fmt::format(R"(lacks() {{
  echo "$1"
  exit {}
}}
ulimit -u {} || lacks "processes cannot be limited"
for device in null zero urandom; do
  [[ -c /dev/$device ]] && : < /dev/$device || lacks "/dev/$device cannot be read"
done
: > /dev/null || lacks "/dev/null cannot be written"
printf '{}\n' >&{}
script=$1 variables=("${{@:3:$2}}")
shift $(($2 + 2))
/usr/bin/env "${{variables[@]}}" /bin/bash "$script" "$@"
status=$?
for ((i = 0; i < 40; i++)); do
  kill -0 -1 2>&- || break
  sleep 0.05
done
exit $status
)",
                     sandbox::lacking, limits.processes, llvm::StringRef(sandbox::ready).rtrim(),
                     sandbox::recordPipe);
}

constexpr const char* standIns = "/stand-ins";
/// Folders that become read-only after they are filled.
constexpr const char* closed[] = {"/etc", "/dev", standIns};

/// Mounts the entries of the folder in `/script`, each read-only, so that the script may create
/// other files there. If there are more than 256 entries, the whole folder is mounted read-only.
std::vector<std::string> mounted(const fs::path& folder) {
  constexpr std::size_t mostMounts = 256;
  std::vector<std::string> out{"--dir", "/script"};
  std::error_code failed;
  std::size_t things = 0;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    const std::string from = at->path().string();
    const std::string to = "/script/" + at->path().filename().string();
    if (++things > mostMounts)
      break;
    std::error_code no;
    if (const fs::path target = fs::read_symlink(from, no); !no)
      out.insert(out.end(), {"--symlink", target.string(), to});
    else
      out.insert(out.end(), {"--ro-bind-try", from, to});
  }
  if (failed || things > mostMounts)
    return {"--ro-bind", folder.string(), "/script"};
  return out;
}
} // namespace

FailureOr<std::string> sandbox::whatItSees(const ScriptRun& run, DiagnosticEngine& diags) {
  const FailureOr<fs::path> folder = folderOf(run.script, diags);
  if (folder.failed())
    return LogicalResult::failure();
  std::string names;
  for (const auto& [name, value] : run.environment)
    names += name == "PATH" ? "" : ", " + name;
  const Limits& most = run.limits;
  return fmt::format("`{}` is run under bubblewrap. What it sees and may use:\n"
                     "  to read      /usr /bin /lib*, of /etc names of users and libraries\n"
                     "               /script, which is {}\n"
                     "  to write     its own files, in memory, {}, deleted afterwards\n"
                     "  devices      null, zero, urandom\n"
                     "  environment  PATH{}\n"
                     "  programs     stand-ins for launchers, which record what would start\n"
                     "               and do not run it\n"
                     "  at most      {} s, {} s of a processor, {} processes, {} of memory,\n"
                     "               files of {}, output of {}\n"
                     "  nothing else: no network, no process, no socket, no terminal,\n"
                     "               no permissions of its user\n",
                     oneLine(run.script), oneLine(folder->string()), mebibytes(most.temporary),
                     names, most.seconds, most.processorSeconds, most.processes,
                     mebibytes(most.memory), mebibytes(most.fileSize), mebibytes(most.output));
}

FailureOr<sandbox::BubblewrapCall>
sandbox::callFor(const ScriptRun& run, const std::string& bubblewrap, DiagnosticEngine& diags) {
  const FailureOr<fs::path> folder = folderOf(run.script, diags);
  if (folder.failed())
    return LogicalResult::failure();
  BubblewrapCall out;
  const auto add = [&](std::initializer_list<std::string> words) {
    out.words.insert(out.words.end(), words);
  };
  const auto document = [&](const char* permissions, const std::string& path, std::string text) {
    add({"--perms", permissions, "--ro-bind-data",
         std::to_string(firstDocument + static_cast<int>(out.documents.size())), path});
    out.documents.push_back(std::move(text));
  };
  add({bubblewrap, "--unshare-all", "--unshare-user", "--disable-userns", "--clearenv",
       "--new-session", "--die-with-parent", "--cap-drop", "ALL", "--hostname", "node0"});
  // The file system of `/` is in memory, and contains the files that the script writes.
  add({"--size", std::to_string(run.limits.temporary), "--tmpfs", "/", "--perms", "1777", "--dir",
       "/tmp", "--ro-bind", "/usr", "/usr"});
  for (const char* const filled : closed)
    add({"--tmpfs", filled});
  for (const char* const name : {"/bin", "/lib", "/lib32", "/lib64", "/libx32"}) {
    std::error_code failed;
    if (const fs::path to = fs::read_symlink(name, failed); !failed)
      add({"--symlink", to.string(), name});
    else if (fs::is_directory(name, failed))
      add({"--ro-bind", name, name});
  }
  document("0444", "/etc/passwd",
           fmt::format("user:x:{}:{}::/tmp:/bin/bash\n", ::getuid() == 0 ? 65534 : ::getuid(),
                       ::getuid() == 0 ? 65534 : ::getgid()));
  document("0444", "/etc/hosts", "127.0.0.1 localhost node0\n");
  document("0444", "/etc/nsswitch.conf", "passwd: files\nhosts: files\n");
  add({"--ro-bind-try", "/etc/alternatives", "/etc/alternatives", "--ro-bind-try",
       "/etc/ld.so.cache", "/etc/ld.so.cache"});
  for (const char* const device : {"/dev/null", "/dev/zero", "/dev/urandom"})
    add({"--dev-bind", device, device});
  const std::vector<std::string> seen = mounted(*folder);
  out.words.insert(out.words.end(), seen.begin(), seen.end());
  document("0555", fmt::format("{}/stand-in", standIns), standIn().str());
  for (const std::string& name : standInNames())
    add({"--symlink", "stand-in", fmt::format("{}/{}", standIns, name)});
  for (const char* const filled : closed)
    add({"--remount-ro", filled});
  std::string path = "/usr/bin:/bin";
  std::vector<std::string> variables;
  for (const auto& [name, value] : run.environment) {
    if (name == "PATH")
      path = value;
    else
      variables.push_back(name + "=" + value);
  }
  variables.push_back(fmt::format("PATH={}:{}", standIns, path));
  add({"--setenv", "PATH", "/usr/bin:/bin", "--chdir", "/script", "--", "/bin/bash", "--noprofile",
       "--norc", "-c", beginning(run.limits), "bash",
       "/script/" + fs::path(run.script).filename().string(), std::to_string(variables.size())});
  out.words.insert(out.words.end(), variables.begin(), variables.end());
  out.words.insert(out.words.end(), run.arguments.begin(), run.arguments.end());
  return out;
}
