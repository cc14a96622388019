# cmake -DFOLDER=backends -DOUTPUT=EmittedSources.cpp "-DFILES=program/source/main.cpp;…" -P EmbedSources.cmake
# Writes a table of the files (path below FOLDER → text) into a C++ source, so that the binary carries
# the sources that the back ends emit.
set(code "// Made from backends/*/source by tools/EmbedSources.cmake.\n#include \"backends/program/Program.h\"\n\n")
string(APPEND code "llvm::StringRef dpl::program::sourceText(llvm::StringRef path) {\n")
foreach(path IN LISTS FILES)
  file(READ ${FOLDER}/${path} text)
  string(APPEND code "  if (path == \"${path}\")\n    return R\"source(${text})source\";\n")
endforeach()
string(APPEND code "  (void)path;\n  return {};\n}\n")
file(WRITE ${OUTPUT} "${code}")
