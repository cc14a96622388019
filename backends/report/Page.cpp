//===- Page.cpp - An answer as one HTML file that needs no network ----------------------------===//
#include "backends/report/Page.h"
#include "support/Text.h"
#include "support/Utf8.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/Error.h"
#include <fmt/format.h>
using namespace dpl;

namespace {
/// The largest sum of the sources' sizes on a page; a longer text is left out.
constexpr std::size_t mostSourceBytes = std::size_t{256} << 10;
/// The largest size of the text screen; of a longer one, the page has the first lines.
constexpr std::size_t mostScreenBytes = std::size_t{128} << 10;

std::string escapedHtml(llvm::StringRef text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : validUtf8(text))
    switch (c) {
    case '&':
      out += "&amp;";
      break;
    case '<':
      out += "&lt;";
      break;
    case '>':
      out += "&gt;";
      break;
    case '"':
      out += "&quot;";
      break;
    case '\'':
      out += "&#39;";
      break;
    default:
      out += c;
    }
  return out;
}

Json sourcesJson(const std::vector<report::PageSource>& sources) {
  Json out = Json::array();
  std::size_t left = mostSourceBytes;
  for (const report::PageSource& source : sources) {
    const bool shown = source.text.size() <= left;
    left -= shown ? source.text.size() : 0;
    out.push_back({{"path", source.path}, {"text", shown ? Json(source.text) : Json()}});
  }
  return out;
}

std::string firstLines(std::string screen) {
  if (screen.size() <= mostScreenBytes)
    return screen;
  const std::size_t end = screen.rfind('\n', mostScreenBytes - 1) + 1;
  const auto more = static_cast<std::uint64_t>(llvm::StringRef(screen).drop_front(end).count('\n'));
  screen.resize(end);
  return screen + fmt::format("… and {} without `--html`\n", plural(more, "more line"));
}

/// Base64 of a zlib stream of the text.
std::string packed(const std::string& text) {
  llvm::SmallVector<char, 0> bytes;
  // Compression fails only for wrong parameters, or without memory, which ends the process.
  llvm::cantFail(llvm::zlib::compress(text, bytes, llvm::zlib::BestSizeCompression));
  return llvm::encodeBase64(bytes);
}

/// A table of the figures with values in base units, for readers without scripts.
std::string figureTable(const Json& figures) {
  std::string rows;
  for (const auto& [path, figure] : figures.items())
    rows += fmt::format("<tr><th>{}</th><td>{}</td><td>{}</td></tr>\n", escapedHtml(path),
                        escapedHtml(figure["value"].dump()), escapedHtml(figure.value("unit", "")));
  return rows.empty()
             ? ""
             : "<table><thead><tr><th>figure</th><th>value</th><th>unit</th></tr></thead>\n"
               "<tbody>\n" +
                   rows + "</tbody></table>\n";
}

std::string tableOf(const report::PageContent& content) {
  std::string out = fmt::format("<pre>{}</pre>\n", escapedHtml(content.screen));
  if (content.answers.contains("figures"))
    out += figureTable(content.answers["figures"]);
  return out;
}

struct Replacement {
  llvm::StringRef placeholder;
  std::string text;
};

/// The template with each placeholder replaced at its only place. Texts are not searched for
/// placeholders.
std::string filled(llvm::StringRef all, llvm::ArrayRef<Replacement> replacements) {
  std::string out;
  while (!all.empty()) {
    const Replacement* next = nullptr;
    std::size_t begin = all.size();
    for (const Replacement& one : replacements)
      if (const std::size_t at = all.find(one.placeholder); at < begin)
        next = &one, begin = at;
    out += all.take_front(begin);
    if (next)
      out += next->text;
    all = all.drop_front(begin + (next ? next->placeholder.size() : 0));
  }
  return out;
}
} // namespace

std::string report::page(PageContent content) {
  content.screen = firstLines(std::move(content.screen));
  const std::string table = tableOf(content), title = escapedHtml(content.title);
  Json data{{"schema", "dplc.page.1"},
            {"kind", content.kind},
            {"version", DPL_VERSION},
            {"title", std::move(content.title)},
            {"screen", std::move(content.screen)},
            {"settings", std::move(content.settings)},
            {"source", sourcesJson(content.sources)},
            {"diagnostics", content.diagnostics},
            {"answers", std::move(content.answers)},
            {"plot", std::move(content.plot)},
            {"layouts", std::move(content.layouts)}};
  if (!content.derivations.is_null())
    data["derivations"] = std::move(content.derivations);
  std::string bytes = packed(data.dump());
  return filled(pageTemplate(), {{"<!--title-->", title},
                                 {"/*style*/", pageStyle().str()},
                                 {"/*library*/", pageLibrary().str()},
                                 {"/*script*/", pageScript().str()},
                                 {"<!--table-->", table},
                                 {"/*data*/", std::move(bytes)}});
}
