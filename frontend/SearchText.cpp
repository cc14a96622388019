//===- SearchText.cpp - A search of a file, written as the layout that it found ---------------===//
#include "frontend/CompilationState.h"
using namespace dpl;
using namespace dpl::sema;

namespace {
/// Edits of the text of a block, so that its comments and the order of its statements stay.
class SearchRewriter {
public:
  SearchRewriter(llvm::StringRef text, llvm::ArrayRef<WrittenField> values)
      : text(text), values(values), written(values.size()) {}

  std::string run(const ast::BlockDecl& search) {
    const std::size_t kind = search.blockKind.range.begin;
    const std::size_t word = text.take_front(kind).rfind("search");
    edits.push_back({word, kind, ""});
    block(*search.block, "");
    // Fields of a base block, or of an element, are set at the end.
    std::string others;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!written[i])
        others += fmt::format("\n  {} = {}", values[i].path, values[i].value);
    if (!others.empty())
      edits.push_back({search.block->range.end - 1, search.block->range.end - 1, others + "\n"});
    return apply();
  }

private:
  struct TextEdit {
    std::size_t begin, end;
    std::string text;
  };

  void block(const ast::Block& of, const std::string& prefix) {
    for (const ast::Stmt* stmt : of.statements)
      statement(*stmt, prefix);
  }

  void statement(const ast::Stmt& stmt, const std::string& prefix) {
    if (const auto* field = llvm::dyn_cast<ast::FieldStmt>(&stmt)) {
      assigned(*field, prefix);
    } else if (const auto* guard = llvm::dyn_cast<ast::IfStmt>(&stmt)) {
      block(guard->then, prefix);
      if (guard->otherwise)
        block(*guard->otherwise, prefix);
    } else if (const auto* loop = llvm::dyn_cast<ast::ForStmt>(&stmt)) {
      block(loop->body, prefix);
    } else if (stmt.kind == ast::Stmt::StmtKind::Require) {
      edits.push_back({stmt.range.begin, stmt.range.begin + sizeof("require") - 1, "assert"});
    } else if (stmt.kind == ast::Stmt::StmtKind::Objective) {
      remove(stmt.range);
    }
  }

  void assigned(const ast::FieldStmt& field, const std::string& prefix) {
    const std::string path = prefix + text.slice(field.pathRange.begin, field.pathRange.end).str();
    if (field.block)
      return block(*field.block, path + ".");
    if (path == "keep")
      return remove(field.range);
    if (field.form != ast::FieldStmt::FieldForm::Candidates)
      return;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i].path == path) {
        edits.push_back({field.pathRange.end, field.value->range.end, " = " + values[i].value});
        written[i] = true;
      }
  }

  /// With its line where it has one alone, else with the comma before it.
  void remove(SourceRange range) {
    std::size_t begin = range.begin, end = range.end;
    while (begin > 0 && (text[begin - 1] == ' ' || text[begin - 1] == '\t'))
      --begin;
    const std::size_t next = text.find_first_not_of(" \t", end);
    if (begin > 0 && text[begin - 1] == '\n' && next < text.size() && text[next] == '\n')
      end = next + 1;
    else if (begin > 0 && text[begin - 1] == ',')
      --begin;
    else if (next < text.size() && text[next] == ',')
      end = next + 1;
    edits.push_back({begin, end, ""});
  }

  std::string apply() {
    llvm::sort(edits, [](const TextEdit& a, const TextEdit& b) { return a.begin < b.begin; });
    std::string out;
    std::size_t at = 0;
    for (const TextEdit& edit : edits) {
      out += text.slice(at, edit.begin);
      out += edit.text;
      at = edit.end;
    }
    return out + text.drop_front(at).str();
  }

  llvm::StringRef text;
  llvm::ArrayRef<WrittenField> values;
  std::vector<bool> written; ///< parallel to `values`
  std::vector<TextEdit> edits;
};
} // namespace

std::string Compilation::searchAsLayout(llvm::StringRef search,
                                        llvm::ArrayRef<WrittenField> values) const {
  const auto* block =
      llvm::dyn_cast_or_null<ast::BlockDecl>(state->modules.find(*state->main, search));
  if (!block || !block->block)
    return "";
  return SearchRewriter(state->shared.sources.text(block->range.file), values).run(*block);
}
