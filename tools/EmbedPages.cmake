# cmake -DFOLDER=docs/explain -DGLOSSARY=docs/glossary.md -DOUTPUT=ExplainPages.cpp -P EmbedPages.cmake
# Writes a table of the pages (file name without .md → text) into a C++ source, so that the binary
# carries them.
file(GLOB pages ${FOLDER}/*.md)
list(APPEND pages ${GLOSSARY})
list(SORT pages)
set(code "// Made from docs/explain and docs/glossary.md by tools/EmbedPages.cmake.\n#include \"tools/dplc/Session.h\"\n\n")
string(APPEND code "llvm::StringRef dpl::tool::explainPage(llvm::StringRef code) {\n")
foreach(page IN LISTS pages)
  get_filename_component(name ${page} NAME_WE)
  file(READ ${page} text)
  string(APPEND code "  if (code == \"${name}\")\n    return R\"page(${text})page\";\n")
endforeach()
string(APPEND code "  (void)code;\n  return {};\n}\n")
file(WRITE ${OUTPUT} "${code}")
