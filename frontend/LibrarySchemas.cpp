//===- LibrarySchemas.cpp - The schemas of the library as a reference prints them -------------===//
#include "frontend/LibrarySchemas.h"
#include "frontend/ast/StandardLibrary.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
using namespace dpl;

namespace {
struct SchemaReading {
  SourceManager sources;
  Arena arena;
  StandardLibrary library{embeddedLibrary(), sources, arena};
};

/// The words of a text, joined to one line.
std::string onOneLine(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef, 32> words;
  llvm::SplitString(text, words, " \n\t");
  return llvm::join(words, " ");
}

LibraryField fieldOf(const ast::SchemaField& field, llvm::StringRef choice,
                     const SourceManager& sources) {
  LibraryField out;
  out.name = field.name.text.str(), out.choice = choice.str();
  out.type = onOneLine(sources.text(field.type.range));
  out.optional = field.type.optional || field.type.form == ast::TypeExpr::TypeForm::Map;
  const ast::TypeExpr& inner = field.type.element ? *field.type.element : field.type;
  out.units = inner.name.empty() ? "" : usualUnits(inner.name.back().text).str();
  if (field.value)
    out.value = onOneLine(sources.text(field.value->range));
  else if (field.block)
    out.value = onOneLine(sources.text(field.block->range));
  out.sentence = onOneLine(field.doc);
  return out;
}
} // namespace

/// The units that files usually write with a type; `dplc explain units` has all of them.
llvm::StringRef dpl::usualUnits(llvm::StringRef type) {
  return llvm::StringSwitch<llvm::StringRef>(type)
      .Cases("Bytes", "AutoBytes", "MiB, GiB, GB")
      .Case("Duration", "us, ms, s, h")
      .Case("Bandwidth", "GB/s, Gbps")
      .Case("FlopRate", "TFLOPS")
      .Case("Flop", "GFLOP, TFLOP")
      .Case("Power", "W")
      .Case("PriceRate", "usd/h")
      .Case("EnergyPrice", "usd/kWh")
      .Case("Money", "usd")
      .Case("Rate", "1 / h")
      .Case("Tokens", "tok, Gtok")
      .Case("Samples", "sample")
      .Case("Steps", "step")
      .Case("Batch", "seq, sample, tok")
      .Case("MicroBatch", "seq, sample")
      .Default("");
}

std::string LibraryField::defaultText() const {
  return !value.empty() ? "default " + value : optional ? "optional" : "required";
}

std::vector<LibrarySchema> dpl::librarySchemas() {
  SchemaReading reading;
  std::vector<LibrarySchema> out;
  for (const LibraryEntry& entry : reading.library.entries("prelude")) {
    if (entry.kind != ast::Decl::DeclKind::Schema)
      continue;
    const auto* schema = llvm::cast<ast::SchemaDecl>(reading.library.find("prelude", entry.name));
    LibrarySchema& made = out.emplace_back();
    made.name = schema->name.text.str(), made.sentence = onOneLine(schema->doc);
    if (!schema->base.empty())
      made.base = schema->base.back().text.str();
    for (const ast::SchemaField& field : schema->fields)
      made.fields.push_back(fieldOf(field, "", reading.sources));
    for (const ast::ChoiceMember& choice : schema->choices) {
      made.choices.push_back({choice.name.text.str(), onOneLine(choice.doc)});
      for (const ast::SchemaField& field : choice.fields)
        made.fields.push_back(fieldOf(field, choice.name.text, reading.sources));
    }
  }
  return out;
}

std::vector<LibraryBlock> dpl::libraryBlocks(llvm::StringRef module) {
  SchemaReading reading;
  std::vector<LibraryBlock> out;
  for (const LibraryEntry& entry : reading.library.entries(module)) {
    const auto* block = llvm::dyn_cast<ast::BlockDecl>(reading.library.find(module, entry.name));
    if (!block)
      continue;
    LibraryBlock& made = out.emplace_back();
    made.kind = block->blockKind.text.str(), made.name = block->name.text.str();
    for (const ast::Name& name : block->base)
      made.base += (made.base.empty() ? "" : ".") + name.text.str();
    made.sentence = onOneLine(block->doc);
  }
  return out;
}
