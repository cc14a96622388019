//===- Outline.cpp - The declarations of a file, and the parts that can be folded -------------===//
#include "frontend/parse/Tokens.h"
#include "tools/dplc/lsp/Features.h"
using namespace dpl;
using namespace dpl::tool;

namespace {
/// Numbers of SymbolKind.
int kindOf(NamedThing thing) {
  switch (thing) {
  case NamedThing::Block:
    return 5; // class
  case NamedThing::Field:
    return 8; // field
  case NamedThing::Let:
  case NamedThing::Param:
    return 14; // constant
  case NamedThing::Import:
    return 2; // module
  case NamedThing::Schema:
    return 23; // struct
  case NamedThing::Choice:
    return 22; // enum member
  default:
    return 13; // variable
  }
}

/// A name cannot be empty for clients.
std::string nameOf(const Symbol& symbol) { return symbol.name.empty() ? "?" : symbol.name; }

/// The place of the name, which must lie in the symbol. A damaged declaration may lack its name.
SourceRange nameRangeOf(const Symbol& symbol) {
  const SourceRange name = symbol.nameRange, all = symbol.range;
  const bool inside = name.valid() && name.begin >= all.begin && name.end <= all.end;
  return inside ? name : SourceRange{all.file, all.begin, all.begin};
}

/// The ranges of the document's symbols. A byte order mark is a character for the client.
struct SymbolRanges {
  SymbolRanges(const DocumentRequest& request, std::uint32_t file)
      : lines(request.document.text, request.documents.encoding),
        skipped(request.sources().skipped(file)) {}
  Json of(SourceRange range) const {
    return lines.range(range.begin + skipped, range.end + skipped);
  }
  LineIndex lines;
  std::size_t skipped;
};

Json asLsp(const SymbolRanges& ranges, const Symbol& symbol) {
  Json children = Json::array();
  for (const Symbol& child : symbol.children)
    children.push_back(asLsp(ranges, child));
  return {{"name", nameOf(symbol)},
          {"detail", symbol.detail},
          {"kind", kindOf(symbol.thing)},
          {"range", ranges.of(symbol.range)},
          {"selectionRange", ranges.of(nameRangeOf(symbol))},
          {"children", std::move(children)}};
}

void addFlat(const DocumentRequest& request, const SymbolRanges& ranges, const Symbol& symbol,
             const std::string& container, Json& out) {
  Json one{{"name", nameOf(symbol)},
           {"kind", kindOf(symbol.thing)},
           {"location", {{"uri", request.document.uri}, {"range", ranges.of(symbol.range)}}}};
  if (!container.empty())
    one.append("containerName", container);
  out.push_back(std::move(one));
  for (const Symbol& child : symbol.children)
    addFlat(request, ranges, child, symbol.name, out);
}
} // namespace

Json tool::documentSymbols(const DocumentRequest& request) {
  Json out = Json::array();
  const std::optional<std::uint32_t> file = request.document.check.source();
  if (!file)
    return out;
  const SymbolRanges ranges(request, *file);
  for (const Symbol& symbol : request.names().outline(*file))
    if (request.client.symbolTree)
      out.push_back(asLsp(ranges, symbol));
    else
      addFlat(request, ranges, symbol, "", out);
  return out;
}

/// Blocks, lists and calls over several lines, and runs of comment lines. Tokens are enough, so
/// that a half-typed line changes nothing.
Json tool::foldingRanges(const DocumentRequest& request) {
  const llvm::StringRef text = request.document.text;
  const LineIndex lines(text, request.documents.encoding);
  Json out = Json::array();
  const auto add = [&](std::size_t first, std::size_t last, const char* kind) {
    if (last <= first)
      return;
    Json range{{"startLine", first}, {"endLine", last}};
    if (kind)
      range.append("kind", kind);
    out.push_back(std::move(range));
  };
  std::vector<std::size_t> open;        // lines of opening brackets
  std::size_t first = 0, last = 0;      // lines of a run of comments
  bool inComment = false, code = false; // `code`: whether the line has tokens before
  for (const Token& token : tokenize(text)) {
    const std::size_t line = lines.lineOf(token.begin);
    const bool comment = token.isOneOf(TokenKind::Doc, TokenKind::Comment) && !code;
    if (inComment && ((comment && line > last + 1) ||
                      (!comment && !token.is(TokenKind::Space) && !token.is(TokenKind::NewLine)))) {
      add(first, last, "comment");
      inComment = false;
    }
    if (comment) {
      first = inComment ? first : line;
      last = line, inComment = true;
    }
    code = !token.is(TokenKind::NewLine) && (code || !token.isHidden());
    if (token.isOpening())
      open.push_back(line);
    if (!token.isClosing() || open.empty())
      continue;
    add(open.back(), line == 0 ? 0 : line - 1, nullptr); // the closing bracket stays visible
    open.pop_back();
  }
  if (inComment)
    add(first, last, "comment");
  return out;
}
