// What a hint quotes can be written where the hint says.
#include "driver/workspace/Workspace.h"
#include "llvm/ADT/StringExtras.h"
#include <gtest/gtest.h>

using namespace dpl;

namespace {

struct Hint {
  llvm::StringRef kind, help;
};
constexpr Hint hints[] = {
#define WORDS(KIND, WORDS, HELP) {KIND, HELP},
#include "frontend/sema/FirstWords.def"
#undef WORDS
};

std::string replaced(std::string text, llvm::StringRef from, llvm::StringRef to) {
  for (std::size_t at = 0; (at = text.find(from.str(), at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to.str());
  return text;
}

/// A file in whose block of the kind the words stand.
std::string fileWith(llvm::StringRef kind, const std::string& words) {
  std::string file = "import std.models\nimport std.clusters\nimport std.devices\n"
                     "cluster pod from clusters.dgx_h100 { nodes = 8 }\n"
                     "layout base for models.mixtral_8x7b on pod { mesh { data = rest }, batch = "
                     "64seq }\n";
  if (llvm::StringRef(words).startswith("run "))
    file += words;
  else if (kind == "mesh" || llvm::StringRef(words).startswith("mesh"))
    file += "layout plan for models.mixtral_8x7b on pod { batch = 64seq, " +
            (kind == "mesh" ? "mesh { " + words + " }" : words) + " }";
  else if (kind == "layout")
    file += "layout plan from base { " + words + " }";
  else if (kind == "shard" || kind == "precision" || kind == "kernels" || kind == "overlap")
    file += "layout plan from base { " + kind.str() + " { " + words + " } }";
  else if (kind == "decoder")
    file += "model plan from models.llama3_8b { " + words + " }";
  else if (kind == "cluster")
    file += "cluster plan from clusters.dgx_h100 { " + words + " }";
  else
    file += "run plan for base { " + words + " }";
  return file + "\n";
}

std::string mistakesOf(const std::string& text) {
  DiagnosticEngine diags;
  Workspace workspace;
  workspace.overlay("hint.dpl", text);
  (void)workspace.compile("hint.dpl", diags);
  diags.endPhase();
  return diags.errors() > 0 ? renderText(diags, workspace.sources(), false) : "";
}

TEST(FirstWords, QuoteWhatCompiles) {
  unsigned compiled = 0;
  for (const Hint& hint : hints) {
    llvm::SmallVector<llvm::StringRef, 8> parts;
    hint.help.split(parts, '`');
    for (std::size_t i = 1; i < parts.size(); i += 2) {
      if (!parts[i].contains('=')) // a name
        continue;
      std::string words = replaced(parts[i].str(), "@", "");
      words = replaced(replaced(words, "NAME", "train"), "LAYOUT", "base");
      const llvm::StringRef kind = hint.help.contains("in the cluster") ? "cluster"
                                   : hint.help.contains("in the model") ? "decoder"
                                   : parts[i].startswith("overlap.")    ? "layout"
                                                                        : hint.kind;
      EXPECT_EQ(mistakesOf(fileWith(kind, words)), "") << hint.help.str();
      ++compiled;
    }
  }
  EXPECT_GT(compiled, 40U);
}

} // namespace
