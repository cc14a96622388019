//===- Records.cpp - Parses the records of the stand-ins, which are untrusted -----------------===//
#include "frontend/import/sandbox/Sandbox.h"
#include "support/Utf8.h"
#include "support/diagnostics/Imports.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <fmt/format.h>
#include <map>
#include <set>

using namespace dpl;
using namespace dpl::imports;

namespace {
using RecordWords = std::vector<std::string>;

/// The words of a record; none if an escape or a character is invalid.
std::optional<RecordWords> wordsOf(llvm::StringRef text) {
  RecordWords out;
  if (!text.startswith("\t"))
    return std::nullopt;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '\t') {
      out.emplace_back();
      continue;
    }
    if (c == '\\') {
      if (++i == text.size())
        return std::nullopt;
      c = text[i] == 'n' ? '\n' : text[i] == 't' ? '\t' : text[i] == '\\' ? '\\' : '\0';
      if (c == '\0')
        return std::nullopt;
    } else if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') {
      return std::nullopt;
    }
    out.back() += c;
  }
  return out;
}

std::string quoted(const std::string& word) {
  const auto plain = [](char c) {
    return llvm::isAlnum(c) || llvm::StringRef("_-./=:,+@%").contains(c);
  };
  if (!word.empty() && llvm::all_of(word, plain))
    return word;
  std::string out = "'";
  for (const char c : word)
    out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// Removes words that differ between nodes and do not affect a plan: host and node rank.
RecordWords ofAnyNode(const RecordWords& words) {
  RecordWords out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const llvm::StringRef word = words[i];
    std::string name = word.split('=').first.str();
    std::replace(name.begin(), name.end(), '_', '-');
    if (name == "--node-rank" || name == "--machine-rank")
      i += word.contains('=') ? 0 : 1;
    else
      out.push_back(words[i]);
  }
  if (!out.empty() && out.front() == "ssh") {
    const auto* const launcher =
        llvm::find_if(llvm::ArrayRef<std::string>(out), [](llvm::StringRef word) {
          return word == "torchrun" || word.startswith("python") || word == "deepspeed" ||
                 word == "srun";
        });
    out.erase(out.begin(), out.begin() + (launcher - out.data()));
  }
  return out;
}

bool namesATraining(const RecordWords& words) {
  return llvm::any_of(words, [](llvm::StringRef word) {
    return word.substr(word.rfind('/') + 1).startswith("pretrain_");
  });
}
} // namespace

std::string sandbox::readable(llvm::StringRef text) {
  std::string out;
  llvm::StringRef line;
  while (!text.empty()) {
    std::tie(line, text) = text.split('\n');
    out += (out.empty() ? "" : "\n") + oneLine(line);
  }
  return out;
}

std::string sandbox::lastWords(llvm::StringRef said) {
  std::string text = readable(said);
  while (!text.empty() && text.back() == '\n')
    text.pop_back();
  std::size_t at = text.size();
  for (int lines = 0; lines < 5 && at != std::string::npos && at != 0; ++lines)
    at = text.rfind('\n', at - 1);
  const std::string last = at == std::string::npos || at == 0 ? text : text.substr(at + 1);
  return last.size() > 2000 ? validUtf8(llvm::StringRef(last).take_back(2000)) : last;
}

FailureOr<std::string> sandbox::commandsIn(llvm::StringRef records, const std::string& script,
                                           DiagnosticEngine& diags) {
  const auto noRecord = [&] {
    return diags.report<diag::ImportStopped>({}, script, "its output is not a record of a launch");
  };
  if (firstInvalidUtf8(records))
    return noRecord();
  std::map<std::string, std::string> open; // incomplete records, by process
  std::set<std::string> told;
  std::string out;
  llvm::StringRef rest = records, line;
  while (!rest.empty()) {
    if (!rest.contains('\n'))
      return noRecord();
    std::tie(line, rest) = rest.split('\n');
    const auto [process, behind] = line.split(' ');
    const auto [mark, text] = behind.split(' ');
    if (process.empty() || process.size() > 10 || !llvm::all_of(process, llvm::isDigit) ||
        (mark != "+" && mark != "." && mark != ","))
      return noRecord();
    std::string& whole = open[process.str()];
    whole += text;
    if (mark == "+")
      continue;
    const std::optional<RecordWords> words = wordsOf(whole);
    open.erase(process.str());
    if (!words)
      return noRecord();
    if (mark == "," && !namesATraining(*words))
      return diags
          .report<diag::ImportStopped>(
              {}, script,
              fmt::format("it reads what `{}` prints, which is not run",
                          readable(quoted(words->front()) +
                                   (words->size() > 1 ? " " + quoted((*words)[1]) : ""))))
          .help("set the result by `--define`, or write it into the script");
    std::string command;
    for (const std::string& word : ofAnyNode(*words))
      command += (command.empty() ? "" : " ") + quoted(word);
    if (told.insert(command).second)
      out += command + "\n";
  }
  if (!open.empty())
    return noRecord();
  return out;
}
