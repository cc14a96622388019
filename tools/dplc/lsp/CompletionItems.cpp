//===- CompletionItems.cpp - What may be written at a place -----------------------------------===//
#include "tools/dplc/lsp/Features.h"
using namespace dpl;
using namespace dpl::tool;

namespace {
/// Numbers of CompletionItemKind.
int kindOf(NamedThing thing) {
  switch (thing) {
  case NamedThing::Block:
    return 7; // class
  case NamedThing::Field:
    return 5; // field
  case NamedThing::Choice:
  case NamedThing::Key:
    return 20; // enum member
  case NamedThing::Let:
    return 21; // constant
  case NamedThing::Param:
  case NamedThing::Variable:
    return 6; // variable
  case NamedThing::Import:
  case NamedThing::Module:
    return 9; // module
  case NamedThing::Schema:
    return 22; // struct
  case NamedThing::Type:
    return 25; // type parameter
  case NamedThing::Figure:
    return 10; // property
  case NamedThing::Statistic:
  case NamedThing::Function:
    return 3; // function
  case NamedThing::Scope:
  case NamedThing::Unit:
    return 11; // unit
  case NamedThing::Word:
    return 14; // keyword
  }
  return 1;
}

/// A text in the syntax of snippets, where `$`, `}` and `\` have a meaning.
std::string escaped(llvm::StringRef text) {
  std::string out;
  for (const char c : text) {
    if (c == '$' || c == '}' || c == '\\')
      out += '\\';
    out += c;
  }
  return out;
}
} // namespace

Json tool::completion(const DocumentRequest& request) {
  Json items = Json::array();
  const std::optional<SourceRange> place = request.place();
  if (!place)
    return items;
  const Expected expected = request.names().expectedAt(place->file, place->begin);
  const SourceRange word = expected.word.valid() ? expected.word : *place;
  const Json range = lspRange(request.documents, request.sources(), word);
  for (const Offer& offer : expected.offers) {
    const bool snippet = offer.block && request.client.snippets;
    const std::string text = snippet       ? escaped(offer.text) + " {\n\t$0\n}"
                             : offer.block ? offer.text + " { }"
                                           : offer.text;
    Json item{{"label", offer.text},
              {"kind", kindOf(offer.thing)},
              {"sortText", fmt::format("{:05}", items.size())},
              {"textEdit", {{"range", range}, {"newText", text}}}};
    if (!offer.detail.empty())
      item.append("detail", offer.detail);
    if (!offer.doc.empty())
      item.append("documentation", offer.doc);
    if (snippet)
      item.append("insertTextFormat", 2);
    items.push_back(std::move(item));
  }
  return {{"isIncomplete", false}, {"items", std::move(items)}};
}
