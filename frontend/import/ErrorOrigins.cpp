//===- ErrorOrigins.cpp - The option or setting that causes an error of an imported plan ------===//
#include "frontend/import/ErrorOrigins.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::imports;

namespace {

using OptionNames = std::vector<const char*>;

/// A field of a plan, with the options and settings that set it in any kind of file, the likeliest
/// first. Options begin with `--`. A setting is a path, or the end of one: "lr", "optimizer.lr".
struct Meaning {
  const char* field;
  OptionNames names;  ///< options and settings that set the field
  OptionNames causes; ///< further options and settings on which the field depends
};

const std::vector<Meaning>& meanings() {
  static const std::vector<Meaning> all{
#define FIELD(NAME, ...) {NAME, {__VA_ARGS__}, {}},
#define FIELD_BY(NAME, CAUSES, ...) {NAME, {__VA_ARGS__}, OptionNames CAUSES},
#include "frontend/import/ErrorOrigins.def"
  };
  return all;
}

const Meaning* meaningOf(llvm::StringRef field) {
  const auto& all = meanings();
  const auto found = llvm::find_if(all, [&](const Meaning& m) { return field == m.field; });
  return found == all.end() ? nullptr : &*found;
}

/// An error of a plan whose cause is a field other than the one at which it is reported.
struct ErrorRow {
  const char* code;
  OptionNames fields;            ///< fields that may cause the error, the likeliest first
  const char* message = nullptr; ///< text that replaces the message up to its colon, or all of it
  const char* megatron = "";     ///< help for options of Megatron-LM
};

const std::vector<ErrorRow>& rows() {
  static const std::vector<ErrorRow> all{
      {"DPL0303",
       {"expert"},
       "the expert degrees leave no whole number of data ranks",
       "the processes of a pipeline stage are a multiple of expert × expert tensor parallel size"},
      {"DPL0306", {"expert"}},
      {"DPL0307", {"expert"}, "the model has no layer with experts"},
      {"DPL0331", {"expert"}},
      {"DPL0309", {"count", "expert"}},
      {"DPL0310", {"top_k", "count"}},
      {"DPL0311", {"tensor", "heads"}},
      {"DPL0312", {"kv_heads", "tensor"}},
      {"DPL0313", {"kv_heads"}},
      {"DPL0314", {"width", "tensor"}},
      {"DPL0315", {"context", "length"}},
      {"DPL0316", {"sequence", "length"}},
      {"DPL0318", {"batch", "micro_batch"}},
      {"DPL0320",
       {"layers", "pipeline"},
       nullptr,
       "`--decoder-first-pipeline-num-layers`, `--decoder-last-pipeline-num-layers` or "
       "`--pipeline-model-parallel-layout` place them unevenly"},
      {"DPL0325", {"batch", "micro_batch"}},
      {"DPL0361", {"micro_batch_group", "batch"}},
      {"DPL0337", {"precision"}},
  };
  return all;
}

bool ofName(char c) { return llvm::isAlnum(c) || c == '_' || c == '-'; }

/// The first place in a text, outside comments, at which the word is a whole name.
std::optional<SourceRange> placeIn(llvm::StringRef text, llvm::StringRef word, std::uint32_t file) {
  for (std::size_t at = 0; (at = text.find(word, at)) != llvm::StringRef::npos; ++at) {
    const std::size_t end = at + word.size();
    const llvm::StringRef line = text.slice(text.rfind('\n', at) + 1, at);
    if ((at == 0 || !ofName(text[at - 1])) && (end == text.size() || !ofName(text[end])) &&
        !line.ltrim().startswith("#"))
      return SourceRange{file, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end)};
  }
  return std::nullopt;
}

bool ofPath(char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; }

/// The path of a field if it has a row of its own, otherwise the last name of the path. A `context`
/// whose value is in tokens becomes `length`, because a mesh also has an axis `context`.
llvm::StringRef nameOf(llvm::StringRef field) {
  const llvm::StringRef path = field.take_while(ofPath), name = path.substr(path.rfind('.') + 1);
  llvm::StringRef value = field.drop_front(path.size()).ltrim();
  const bool tokens =
      value.consume_front("=") &&
      value.ltrim().drop_while([](char c) { return llvm::isDigit(c); }).startswith("tok");
  return name == "context" && tokens ? "length" : meaningOf(path) ? path : name;
}

} // namespace

SourceRange dpl::imports::locationOf(llvm::StringRef option, SourceRange at,
                                     const SourceManager& sources, std::uint32_t file) {
  const llvm::StringRef words = sources.text(at.file).slice(at.begin, at.end);
  if (words.startswith(option))
    return at;
  if (const auto within = placeIn(words, option, at.file))
    return {at.file, at.begin + within->begin, at.begin + within->end};
  return placeIn(sources.text(file), option, file).value_or(at);
}

std::optional<WrittenSetting> ErrorOrigins::first(llvm::ArrayRef<const char*> names) const {
  for (const llvm::StringRef name : names) {
    if (kind == "hf")
      if (const auto at = placeIn(sources.text(file), name, file))
        return WrittenSetting{name.str(), name.str(), *at};
    const auto found = llvm::find_if(settings, [&](const WrittenSetting& setting) {
      const llvm::StringRef path = setting.path;
      return path == name || (path.endswith(name) && path[path.size() - name.size() - 1] == '.');
    });
    if (found != settings.end())
      return *found;
  }
  return std::nullopt;
}

std::optional<SourceRange> ErrorOrigins::placeOf(llvm::StringRef field) const {
  const Meaning* const meaning = meaningOf(nameOf(field));
  if (!meaning)
    return std::nullopt;
  auto found = first(meaning->names);
  if (!found)
    found = first(meaning->causes);
  return found ? std::optional(found->at) : std::nullopt;
}

/// Adds the file's option to each axis in a text: "tensor = 8 (`--tensor-model-parallel-size`)".
std::string ErrorOrigins::axesIn(llvm::StringRef text) const {
  std::string out = text.str();
  for (const char* axis : {"pipeline", "tensor", "context"}) {
    const std::string begin = fmt::format("{} = ", axis);
    const std::size_t at = out.find(begin);
    const auto theirs = at == std::string::npos ? std::nullopt : first(meaningOf(axis)->names);
    if (theirs)
      out.insert(std::min(out.find_first_not_of("0123456789", at + begin.size()), out.size()),
                 fmt::format(" (`{}`)", theirs->name));
  }
  return out;
}

/// Replaces each quoted field by the option or setting that sets it in the file.
std::string ErrorOrigins::inTheirWords(llvm::StringRef text) const {
  std::string out;
  while (!text.empty()) {
    const auto [before, after] = text.split('`');
    out += axesIn(before);
    if (before.size() == text.size())
      break;
    const auto [quoted, rest] = after.split('`');
    const Meaning* const meaning = meaningOf(nameOf(quoted));
    const bool whole = llvm::all_of(quoted, ofPath);
    auto theirs = meaning && whole ? first(meaning->names) : std::nullopt;
    if (!theirs && quoted == "context") // if no option sets the axis, the sequence length is meant
      theirs = first(meaningOf("length")->names);
    out += fmt::format("`{}`", theirs ? theirs->name : quoted.str());
    text = rest;
  }
  return out;
}

/// The error for DPL0301, "mesh uses 8 devices, cluster `pod` has 4", in words about processes and
/// nodes.
ErrorOrigin ErrorOrigins::processesOf(llvm::StringRef message) const {
  const auto [uses, has] = message.split(',');
  const llvm::StringRef processes = uses.trim("abcdefghijklmnopqrstuvwxyz ");
  return {{file, 0, 1},
          fmt::format("it starts {} processes, its nodes in the cluster have {} devices", processes,
                      has.rsplit(' ').second),
          "`--cluster` names the cluster of the library that it runs on"};
}

/// The place of the first name in the assertion that the file sets.
std::optional<SourceRange> ErrorOrigins::placeInAssertion(const Diagnostic& error) const {
  if (error.notes.empty())
    return std::nullopt;
  llvm::StringRef rest = llvm::StringRef(error.notes.front().message).split('\n').second;
  rest = rest.split('\n').first;
  while (!rest.empty()) {
    const llvm::StringRef path = rest.take_while(ofPath);
    if (const auto at = path.empty() ? std::nullopt : placeOf(path))
      return at;
    rest = rest.drop_front(std::max<std::size_t>(path.size(), 1));
  }
  return std::nullopt;
}

ErrorOrigin ErrorOrigins::of(const Diagnostic& error, llvm::StringRef field) const {
  const auto row = llvm::find_if(
      rows(), [&](const ErrorRow& r) { return llvm::StringRef(r.code) == error.info.code; });
  llvm::StringRef message = error.message;
  message.consume_front("the assertion does not hold: ");
  ErrorOrigin out{{file, 0, 1}, inTheirWords(message), inTheirWords(error.help)};
  // If the message quotes a path, such as `recompute.layers`, it is more exact than the field's
  // name.
  llvm::StringRef quoted = message;
  quoted = quoted.consume_front("`") ? quoted.split('`').first : "";
  const auto named = quoted.contains('.') && meaningOf(quoted) ? placeOf(quoted) : std::nullopt;
  if (const auto at = named ? named : placeOf(field))
    out.at = *at;
  const llvm::StringRef code = error.info.code;
  if (code == "DPL0301") // the message is about processes, because imported files have no mesh
    return processesOf(message);
  if (code == "DPL0501" && out.at.end == 1)
    out.at = placeInAssertion(error).value_or(out.at);
  if (row == rows().end())
    return out;
  std::optional<WrittenSetting> cause;
  for (const auto names : {&Meaning::names, &Meaning::causes})
    for (const char* name : row->fields)
      if (const Meaning* meaning = meaningOf(name); meaning && !cause)
        cause = first(meaning->*names);
  if (!cause)
    return out;
  out.at = cause->at;
  const bool megatron = kind == "megatron" || kind == "nemo";
  if (llvm::StringRef(error.help).contains('`') || (megatron && *row->megatron != '\0'))
    out.help = megatron ? row->megatron : ""; // otherwise the help would name fields, which the
                                              // file does not have
  if (const std::size_t colon = out.message.rfind(": "); row->message)
    out.message = row->message + (colon == std::string::npos ? "" : out.message.substr(colon));
  return out;
}
