//===- EmbedLibrary.cpp - Parses the library when dplc is built -------------------------------===//
//
// Usage: embed_library IMAGE FILE… Module names are the stems of the files, which must be in
// alphabetical order.
#include "frontend/ast/LibraryImage.h"
#include "frontend/parse/ParseTree.h"
#include "support/FileIo.h"
#include <cstdio>
#include <filesystem>
using namespace dpl;

int main(int count, char** arguments) {
  if (count < 2)
    return 2;
  SourceManager sources;
  DiagnosticEngine diags;
  Arena arena;
  std::vector<LibrarySource> modules;
  for (int i = 2; i < count; ++i) {
    const FailureOr<std::uint32_t> file = loadSource(sources, diags, arguments[i]);
    if (file.failed())
      continue;
    const ParseResult parsed = parse(sources, *file, arena, diags);
    for (const ast::Decl* d : parsed.file->declarations)
      if (llvm::isa<ast::AssertDecl>(d)) {
        std::fprintf(stderr, "%s: a module of the library has no assert outside its blocks\n",
                     arguments[i]);
        return 1;
      }
    modules.push_back(
        {std::filesystem::path(arguments[i]).stem().string(), sources.text(*file), parsed.file});
  }
  diags.endPhase();
  if (diags.errors() == 0)
    (void)writeFile(arguments[1], libraryImage(modules), diags);
  diags.endPhase();
  std::fputs(renderText(diags, sources, false).c_str(), stderr);
  return diags.errors() > 0 ? 1 : 0;
}
