//===- Diagnostics.cpp - Severity mapping, order, limit and de-duplication of messages --------===//
#include "support/Diagnostics.h"
#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <tuple>
using namespace dpl;

DPL_DEFINE_SPECIAL_MEMBERS(DiagnosticEngine);

using InFlight = DiagnosticEngine::InFlight;
InFlight::InFlight(DiagnosticEngine& engine, Diagnostic d) : engine(&engine), d(std::move(d)) {}
InFlight::InFlight(DiagnosticEngine& engine, const DiagInfo& info, SourceRange at,
                   std::string message)
    : engine(&engine), d{info, at, std::move(message), {}, {}, {}, {}} {}
InFlight::InFlight(InFlight&& o) noexcept
    : engine(std::exchange(o.engine, nullptr)), d(std::move(o.d)) {}
InFlight::~InFlight() {
  if (engine)
    engine->issue(std::move(d));
}
InFlight&& InFlight::label(std::string text) && {
  d.label = std::move(text);
  return std::move(*this);
}
InFlight&& InFlight::note(const DiagInfo& info, SourceRange at, std::string message) && {
  d.notes.push_back({info, at, std::move(message), {}, {}, {}, {}});
  return std::move(*this);
}
InFlight&& InFlight::help(std::string text) && {
  d.help = std::move(text);
  return std::move(*this);
}
InFlight&& InFlight::edit(SourceRange at, std::string replacement) && {
  d.edits.push_back({at, std::move(replacement)});
  return std::move(*this);
}

namespace {
/// The limit of messages per phase, so that files with very many errors do not fill the memory.
constexpr std::size_t mostInOnePhase = 2000;

bool sameMessage(const Diagnostic& a, const Diagnostic& b) {
  return a.range == b.range && a.info.code == b.info.code && a.message == b.message;
}

/// Shortens long texts between backquotes or double quotes in the middle, such as a name of a
/// million letters.
void shorten(std::string& text) {
  constexpr std::size_t most = 160, head = 60, tail = 30;
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const char quote = text[i];
    const std::size_t end =
        quote == '`' || quote == '"' ? text.find(quote, i + 1) : std::string::npos;
    if (end == std::string::npos || end - i <= most) {
      const std::size_t next = end == std::string::npos ? i + 1 : end + 1;
      out.append(text, i, next - i);
      i = next;
      continue;
    }
    std::size_t first = i + head, second = end - tail;
    const auto inside = [&](std::size_t at) {
      return (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80; // whether the byte is inside a
                                                                    // UTF-8 character
    };
    while (inside(first))
      --first;
    while (inside(second))
      ++second;
    out.append(text, i, first - i).append("…").append(text, second, end + 1 - second);
    i = end + 1;
  }
  text = std::move(out);
}

void shorten(Diagnostic& d) {
  shorten(d.message), shorten(d.label), shorten(d.help);
  for (Diagnostic& note : d.notes)
    shorten(note);
}

/// The sort key of a diagnostic. Diagnostics without a place are last, because they concern all
/// files.
std::tuple<bool, std::uint32_t, std::uint32_t> place(const Diagnostic& d) {
  return {!d.range.valid(), d.range.file, d.range.begin};
}
} // namespace

fmt::format_context::iterator fmt::formatter<llvm::StringRef>::format(llvm::StringRef s,
                                                                      format_context& ctx) const {
  return fmt::formatter<fmt::string_view>::format({s.data(), s.size()}, ctx);
}

llvm::ArrayRef<DiagInfo> dpl::allDiagnostics() {
  static constexpr DiagInfo rows[] = {
#define DIAG(CODE, NAME, MNEMONIC, SEVERITY, FORMAT) {#CODE, MNEMONIC, Severity::SEVERITY},
#include "support/Diagnostics.def"
  };
  return rows;
}

bool DiagnosticEngine::map(llvm::StringRef mnemonic, SeverityMapping m) {
  for (const DiagInfo& row : allDiagnostics())
    if (mnemonic == row.name &&
        (row.severity == Severity::Warning || row.severity == Severity::Remark)) {
      mappings.emplace_back(mnemonic.str(), m);
      return true;
    }
  return false;
}

const char* dpl::name(Severity s) {
  switch (s) {
  case Severity::Note:
  case Severity::Remark:
    return "note";
  case Severity::Warning:
    return "warning";
  case Severity::Error:
    return "error";
  }
  return "";
}

void DiagnosticEngine::count(const Diagnostic& d, int by) {
  if (d.info.severity == Severity::Error)
    errorCount += by;
  if (d.info.severity == Severity::Warning)
    warningCount += by;
}

void DiagnosticEngine::issue(Diagnostic d) {
  if (d.info.severity == Severity::Warning || d.info.severity == Severity::Remark)
    for (const auto& [mnemonic, mapping] : mappings)
      if (mnemonic == d.info.name)
        d.info.severity = mapping == SeverityMapping::Error ? Severity::Error
                          : mapping == SeverityMapping::Off ? Severity::Note
                                                            : Severity::Warning;
  if (d.info.severity == Severity::Note)
    return; // the diagnostic of this note is turned off, and so is the note
  if (issued.size() - phaseBegin >= mostInOnePhase) { // too many to search for duplicates
    count(d, 1);
    ++dropped;
    return;
  }
  shorten(d);
  for (const Diagnostic& other : issued)
    if (sameMessage(other, d))
      return;
  count(d, 1);
  issued.push_back(std::move(d));
}

std::string DiagnosticEngine::firstError() const {
  for (const Diagnostic& d : issued)
    if (d.info.severity == Severity::Error)
      return fmt::format("{}: {}", d.info.code, d.message);
  return "";
}

void DiagnosticEngine::endPhase() {
  const auto begin = issued.begin() + static_cast<std::ptrdiff_t>(phaseBegin);
  std::stable_sort(begin, issued.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return place(a) < place(b); });
  holdBack();
}

/// Closes the phase and drops its messages above the limit.
void DiagnosticEngine::holdBack() {
  const auto begin = issued.begin() + static_cast<std::ptrdiff_t>(phaseBegin);
  unsigned kept[] = {0, 0, 0, 0}; // number of messages kept, by severity
  for (auto d = issued.begin(); d != begin; ++d)
    ++kept[static_cast<std::size_t>(d->info.severity)];
  const auto overLimit = [&](const Diagnostic& d) {
    return ++kept[static_cast<std::size_t>(d.info.severity)] > limit;
  };
  const auto end = std::remove_if(begin, issued.end(), overLimit);
  dropped += static_cast<unsigned>(issued.end() - end);
  issued.erase(end, issued.end());
  phaseBegin = issued.size();
}

void DiagnosticEngine::takeOver(DiagnosticEngine other) {
  endPhase();
  other.endPhase();
  for (const Diagnostic& d : other.issued)
    other.count(d, -1); // issue() counts kept messages again; the counts of dropped ones remain
  for (Diagnostic& d : other.issued)
    issue(std::move(d));
  errorCount += other.errorCount, warningCount += other.warningCount;
  dropped += other.dropped;
}

void DiagnosticEngine::absorb(DiagnosticEngine other) {
  takeOver(std::move(other));
  phaseBegin = issued.size();
}

void DiagnosticEngine::continueWith(DiagnosticEngine later) {
  takeOver(std::move(later));
  holdBack();
}

std::vector<Diagnostic> DiagnosticEngine::rollback(std::size_t mark) {
  assert(mark >= phaseBegin && "a phase ended between mark and rollback");
  const auto from = issued.begin() + static_cast<std::ptrdiff_t>(std::min(mark, issued.size()));
  std::vector<Diagnostic> forgotten(std::make_move_iterator(from),
                                    std::make_move_iterator(issued.end()));
  issued.erase(from, issued.end());
  for (const Diagnostic& d : forgotten)
    count(d, -1);
  return forgotten;
}
