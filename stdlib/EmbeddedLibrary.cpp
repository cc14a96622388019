//===- EmbeddedLibrary.cpp - The image of the library as data of the program ------------------===//
#include "frontend/ast/StandardLibrary.h"

// An array of the same bytes takes the compiler seconds; the assembler copies the file.
__asm__(".pushsection .rodata\n"
        "dpl_library_begin:\n"
        ".incbin \"" DPL_LIBRARY_IMAGE "\"\n"
        "dpl_library_end:\n"
        ".byte 0\n"
        ".popsection\n");
extern "C" const char dpl_library_begin[], dpl_library_end[];

llvm::StringRef dpl::embeddedLibrary() {
  return {dpl_library_begin, static_cast<std::size_t>(dpl_library_end - dpl_library_begin)};
}
