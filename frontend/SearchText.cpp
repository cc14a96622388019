//===- SearchText.cpp - A search or layout of a file, written with the values that were found -===//
#include "frontend/CompilationState.h"
#include "llvm/ADT/StringExtras.h"
#include <map>
using namespace dpl;
using namespace dpl::sema;

namespace {
/// Edits the texts of a file's blocks. Comments and the order of statements are kept.
class BlockRewriter {
public:
  explicit BlockRewriter(llvm::StringRef text) : text(text) {}

  /// Sets fields of a block. Their paths are relative to the block. In a search only open fields
  /// are replaced.
  void set(const ast::BlockDecl& of, llvm::ArrayRef<WrittenField> fields) {
    search = of.search, values = fields, written.assign(fields.size(), false);
    const std::size_t kind = of.blockKind.range.begin;
    if (search)
      edits.push_back({text.take_front(kind).rfind("search"), kind, ""});
    block(*of.block, "");
    // Fields that a base block or an element sets are set again at the end.
    std::string others;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!written[i])
        others += fmt::format("\n  {} = {}", values[i].path, values[i].value);
    if (!others.empty())
      edits.push_back({of.block->range.end - 1, of.block->range.end - 1, others + "\n"});
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
    const bool varied = path == "vary" || path == "worst_of";
    if (field.block && !varied && setWhole(field, path))
      return;
    if (field.block && !varied)
      return block(*field.block, path + ".");
    if (search && (path == "keep" || varied))
      return remove(field.range);
    if (search && field.form != ast::FieldStmt::FieldForm::Candidates)
      return;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i].path == path) {
        edits.push_back({field.pathRange.end, field.value->range.end, " = " + values[i].value});
        written[i] = true;
      }
  }

  /// Replaces a block such as `mesh { … }` of a layout by its value; false if it has none.
  bool setWhole(const ast::FieldStmt& field, const std::string& path) {
    for (std::size_t i = 0; i < values.size() && !search; ++i)
      if (values[i].path == path) {
        edits.push_back({field.pathRange.begin, field.range.end, path + " = " + values[i].value});
        return written[i] = true;
      }
    return false;
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

  llvm::StringRef text;
  std::vector<TextEdit> edits;
  // The state of the current block.
  llvm::ArrayRef<WrittenField> values;
  bool search = false;
  std::vector<bool> written; ///< whether each of `values` is written
};
} // namespace

std::string Compilation::withValues(llvm::StringRef layout, llvm::ArrayRef<WrittenField> values,
                                    llvm::ArrayRef<WrittenField> ofOthers) const {
  const auto blockOf = [&](llvm::StringRef name) {
    const auto* block =
        llvm::dyn_cast_or_null<ast::BlockDecl>(state->modules.find(*state->main, name));
    return block && block->block ? block : nullptr;
  };
  const ast::BlockDecl* block = blockOf(layout);
  if (!block)
    return "";
  BlockRewriter rewriter(state->shared.sources.text(block->range.file));
  rewriter.set(*block, values);
  std::map<std::string, std::vector<WrittenField>> others;
  for (const WrittenField& field : ofOthers) {
    const auto [name, path] = llvm::StringRef(field.path).split('.');
    others[name.str()].push_back({path.str(), field.value, ""});
  }
  for (const auto& [name, fields] : others) {
    const ast::BlockDecl* other = blockOf(name);
    if (!other)
      return ""; // a block without braces: `cluster pod from clusters.dgx_h100`
    rewriter.set(*other, fields);
  }
  return rewriter.apply();
}
