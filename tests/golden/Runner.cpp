//===- Runner.cpp - Running dplc on the cases of a file, as a user would ----------------------===//
#include "tests/golden/Runner.h"
#include "tests/golden/PassCase.h"
#include "tests/golden/Recorded.h"
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <map>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>
using namespace dpl::test;

std::string dpl::test::slurp(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string text;
  for (char part[1 << 14]; in.read(part, sizeof part), in.gcount() > 0;)
    text.append(part, static_cast<std::size_t>(in.gcount()));
  return text;
}

void dpl::test::spill(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

bool dpl::test::updating() { return std::getenv("DPL_UPDATE") != nullptr; }

TemporaryFolder::TemporaryFolder() {
  std::string name = (fs::temp_directory_path() / "dpl-golden-XXXXXX").string();
  path = ::mkdtemp(name.data()) ? name : "";
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path.empty())
    fs::remove_all(path, ignored);
}

Outcome dpl::test::dplc(std::vector<std::string> arguments, const fs::path& folder) {
  const TemporaryFolder streams;
  std::string outPath = streams.path / "out";
  const std::string errorPath = streams.path / "error";
  if (const auto to = std::find(arguments.begin(), arguments.end(), ">"); to != arguments.end()) {
    outPath = *std::next(to);
    arguments.erase(to, to + 2);
  }
  std::string inPath = "/dev/null";
  if (const auto from = std::find(arguments.begin(), arguments.end(), "<");
      from != arguments.end()) {
    inPath = *std::next(from);
    arguments.erase(from, from + 2);
  }
  std::string width; // what is recorded does not depend on who runs the tests
  if (!arguments.empty() && arguments.front().rfind("COLUMNS=", 0) == 0) {
    width = arguments.front().substr(8);
    arguments.erase(arguments.begin());
  }
  std::vector<char*> argv{const_cast<char*>(DPL_DPLC)};
  for (const std::string& argument : arguments)
    argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  std::string columns = "COLUMNS=" + width;
  std::vector<char*> variables;
  for (char** variable = environ; *variable; ++variable)
    if (std::string(*variable).rfind("COLUMNS=", 0) != 0)
      variables.push_back(*variable);
  if (!width.empty())
    variables.push_back(columns.data());
  variables.push_back(nullptr);
  // Not a fork, which would copy what this process has mapped, under sanitizers most of all.
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_addopen(&files, 1, outPath.c_str(), O_WRONLY | O_CREAT, 0600);
  ::posix_spawn_file_actions_addopen(&files, 2, errorPath.c_str(), O_WRONLY | O_CREAT, 0600);
  ::posix_spawn_file_actions_addchdir_np(&files, folder.c_str());
  ::posix_spawn_file_actions_addopen(&files, 0, inPath.c_str(), O_RDONLY, 0);
  pid_t child = 0;
  int status = 127 << 8;
  if (::posix_spawn(&child, DPL_DPLC, &files, nullptr, argv.data(), variables.data()) == 0)
    ::waitpid(child, &status, 0);
  ::posix_spawn_file_actions_destroy(&files);
  Outcome outcome{fs::is_regular_file(outPath) ? slurp(outPath) : "", slurp(errorPath), 0};
  outcome.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome;
}

Outcome dpl::test::dplc(std::vector<std::string> arguments) {
  return dplc(std::move(arguments), sourceFolder());
}

std::vector<Message> dpl::test::messagesIn(const std::string& error) {
  std::vector<Message> messages;
  std::istringstream lines(error);
  bool placed = true; // the first `-->` after a title is the message's own
  for (std::string line; std::getline(lines, line);) {
    const std::size_t bracket = line.find("[DPL"), colon = line.find("]: ");
    const std::string severity = line.substr(0, bracket);
    if (bracket != std::string::npos && colon == bracket + 8 &&
        (severity == "error" || severity == "warning" || severity == "note")) {
      messages.push_back({severity, line.substr(bracket + 1, 7), line.substr(colon + 3), "", 0});
      placed = false;
    } else if (line.rfind("note: ", 0) == 0) {
      placed = true;
    } else if (const std::size_t arrow = line.find("--> ");
               !placed && arrow != std::string::npos && line.find_first_not_of(' ') == arrow) {
      placed = true;
      const std::size_t column = line.rfind(':');
      const std::size_t number = line.rfind(':', column - 1);
      messages.back().file = line.substr(arrow + 4, number - arrow - 4);
      messages.back().line = static_cast<unsigned>(std::stoul(line.substr(number + 1)));
    }
  }
  return messages;
}

std::vector<Case> dpl::test::casesOf(const std::string& name, const std::string& text) {
  std::vector<Case> cases{{"", name, "", {}}};
  std::string* into = &cases.back().text;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1);
    const std::string line = text.substr(at, end - at + 1);
    at = end + 1;
    if (line == "// ---\n") {
      cases.push_back({cases.back().command, name, "", {}});
      into = &cases.back().text;
    } else if (line.rfind("// --- ", 0) == 0) {
      std::istringstream words(line.substr(7));
      Case::File file;
      std::string size;
      words >> file.name >> size;
      if (size.rfind("size=", 0) == 0)
        file.size = std::stoul(size.substr(5));
      cases.back().files.push_back(file);
      into = &cases.back().files.back().text;
    } else {
      if (into == &cases.back().text && into->empty() && line.rfind("// RUN: ", 0) == 0) {
        cases.back().command = line.substr(8);
        cases.back().command.erase(cases.back().command.find_last_not_of(" \r\n") + 1);
      }
      *into += line;
    }
  }
  return cases;
}

namespace {
std::vector<std::string> words(const std::string& command, const std::string& file) {
  std::vector<std::string> list;
  std::istringstream in(command);
  bool placed = false;
  for (std::string word; in >> word;) {
    placed |= word == "%s" || word == "%none";
    if (word != "%none" && word != "%advice")
      list.push_back(word == "%s" ? file : word);
  }
  if (!placed)
    list.push_back(file);
  return list;
}

/// Advice depends on every layout near a plan, so that `check` prints it only for cases with
/// `%advice`.
std::vector<std::string> withoutAdvice(std::vector<std::string> arguments,
                                       const std::string& command) {
  const auto check = std::find(arguments.begin(), arguments.end(), "check");
  if (check != arguments.end() && check - arguments.begin() < 2 &&
      command.find("%advice") == std::string::npos)
    arguments.insert(check + 1, "--no-advice");
  return arguments;
}

using Contents = std::map<std::string, std::string>;

Contents contentsOf(const fs::path& folder) {
  Contents contents;
  for (const fs::path& path : filesBelow(folder, ""))
    if (fs::file_size(path) < 1'000'000)
      contents[path.lexically_relative(folder).generic_string()] = slurp(path);
  return contents;
}

std::string section(const std::string& title, const std::string& text) {
  if (text.empty())
    return "";
  return "==== " + title + "\n" + text + (text.back() == '\n' ? "" : "\n");
}

struct Marker {
  std::string severity, code, text, file;
  long line = 0;
  bool met = false;
};

void markersIn(const std::string& file, const std::string& text, std::vector<Marker>& markers) {
  std::istringstream lines(text);
  long number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    for (std::size_t at = line.find("// expect-"); at != std::string::npos;
         at = line.find("expect-", at + 10)) {
      Marker marker;
      std::istringstream in(line.substr(line.find('-', at) + 1));
      in >> marker.severity;
      marker.file = file;
      marker.line = number;
      if (const std::size_t place = marker.severity.find('@'); place != std::string::npos) {
        const std::string offset = marker.severity.substr(place + 1);
        marker.severity.resize(place);
        if (offset == "none")
          marker.line = 0, marker.file.clear();
        else
          marker.line += std::stol(offset);
      }
      const std::size_t code = line.find('[', at), open = line.find("{{", at),
                        close = line.find("}}", at);
      if (code != std::string::npos)
        marker.code = line.substr(code + 1, line.find(']', code) - code - 1);
      if (open != std::string::npos && close != std::string::npos)
        marker.text = line.substr(open + 2, close - open - 2);
      markers.push_back(marker);
    }
  }
}
} // namespace

CaseRun dpl::test::run(const Case& c) {
  const TemporaryFolder folder;
  spill(folder.path / c.name, c.text);
  for (const Case::File& file : c.files) {
    const fs::path path = folder.path / file.name;
    fs::create_directories(path.parent_path());
    if (file.name.back() == '/')
      continue;
    spill(path, file.text);
    if (file.size > 0)
      fs::resize_file(path, file.size);
  }
  if (!passOf(c).empty())
    return runPass(c, folder.path);
  const Contents before = contentsOf(folder.path);
  const std::vector<std::string> arguments = words(c.command, c.name);
  CaseRun result;
  result.outcome = dplc(withoutAdvice(arguments, c.command), folder.path);
  const bool width = !arguments.empty() && arguments.front().rfind("COLUMNS=", 0) == 0;
  std::string command = width ? "$ " + arguments.front() + " dplc" : "$ dplc";
  for (std::size_t i = width ? 1 : 0; i < arguments.size(); ++i)
    command += " " + arguments[i];
  result.record = command + "\n" + result.outcome.out;
  if (!result.outcome.out.empty() && result.outcome.out.back() != '\n')
    result.record += "\n";
  result.record += section("error output", result.outcome.error);
  for (const auto& [name, text] : contentsOf(folder.path))
    if (const auto old = before.find(name); old == before.end() || old->second != text)
      result.record += section("file " + name, text);
  if (result.outcome.exitCode != 0)
    result.record += "==== exit " + std::to_string(result.outcome.exitCode) + "\n";
  result.record = masked(result.record);
  return result;
}

std::string dpl::test::compareWithMarkers(const Case& c, const std::string& error) {
  std::vector<Marker> markers;
  markersIn(c.name, c.text, markers);
  for (const Case::File& file : c.files)
    markersIn(file.name, file.text, markers);
  std::string differences;
  for (const Message& message : messagesIn(error)) {
    if (message.file == "--set")
      continue; // its place is on the command line, where no marker can stand
    const auto marker = std::find_if(markers.begin(), markers.end(), [&](const Marker& m) {
      // An import is named as the importing file found it: "./site.dpl" is "site.dpl".
      const bool sameFile =
          fs::path(m.file).lexically_normal() == fs::path(message.file).lexically_normal();
      return !m.met && sameFile && m.line == static_cast<long>(message.line) &&
             m.severity == message.severity && m.code == message.code &&
             message.text.find(m.text) != std::string::npos;
    });
    if (marker != markers.end())
      marker->met = true;
    else
      differences += message.file + ":" + std::to_string(message.line) + ": no marker for " +
                     message.severity + " [" + message.code + "] {{" + message.text + "}}\n";
  }
  for (const Marker& marker : markers)
    if (!marker.met)
      differences += marker.file + ":" + std::to_string(marker.line) + ": no such " +
                     marker.severity + " [" + marker.code + "] {{" + marker.text + "}}\n";
  return differences;
}

std::vector<fs::path> dpl::test::filesBelow(const fs::path& folder, const std::string& ending) {
  std::vector<fs::path> paths;
  if (fs::is_directory(folder))
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
      const std::string name = entry.path().filename().string();
      if (entry.is_regular_file() && name.size() >= ending.size() &&
          name.compare(name.size() - ending.size(), ending.size(), ending) == 0)
        paths.push_back(entry.path());
    }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::vector<Fence> dpl::test::fencesOf(const std::string& page) {
  std::vector<Fence> fences;
  bool inside = false;
  unsigned number = 0;
  for (std::size_t begin = 0, end = 0; begin < page.size(); begin = end + 1) {
    end = std::min(page.find('\n', begin), page.size());
    const std::string line = page.substr(begin, end - begin);
    ++number;
    if (line.rfind("```", 0) == 0) {
      inside = !inside;
      if (inside)
        fences.push_back({line.substr(3), "", end + 1, number});
    } else if (inside) {
      fences.back().text += line + "\n";
    }
  }
  return fences;
}

std::string dpl::test::testName(const fs::path& path, const fs::path& below) {
  std::string name = path.lexically_relative(below).replace_extension().generic_string();
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)))
      c = '_';
  return name;
}
