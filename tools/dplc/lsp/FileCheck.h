#pragma once
//===- FileCheck.h - The check of one open file -----------------------------------------------===//
#include "tools/dplc/lsp/PlanTable.h"
#include <map>

namespace dpl::tool {

/// A plan of a file that is checked.
struct CheckedPlan {
  std::string layout;        ///< name of the layout
  std::uint64_t key = 0;     ///< ir::inputKey
  SourceRange range;         ///< of the layout
  bool checkedLater = false; ///< reported after the whole file, as plans with runs are
  /// Null, or a result without advice, while another process judges the plan.
  std::shared_ptr<const PlanResult> result;
  bool awaited = false; ///< whether another process judges the plan
};

/// The texts of files: those of the editor, otherwise those on disk.
class FileSource {
public:
  virtual ~FileSource() = default;
  virtual FileText textOf(const std::string& path) const = 0;
  /// A value that changes with the text of the file; 0 if there is none.
  virtual std::uint64_t stampOf(const std::string& path) const = 0;
};

/// A plan that another process judges, with what it needs for this.
struct SlowPlan {
  std::uint64_t key = 0;
  std::shared_ptr<ir::Plan> plan;
  std::shared_ptr<CompiledUnit> unit;
  std::shared_ptr<Workspace> workspace;
};

/// Compiles a file after each change of its text, takes the results of plans that did not change
/// from a table, and reports what `dplc check` reports.
class FileCheck {
public:
  FileCheck(std::string path, const FileSource& files, PlanTable& table);

  /// Compiles the text and judges its plans. Slow plans remain in `slowPlans`.
  void run(const std::string& text);
  /// Takes results of slow plans from the table, and joins the messages again. False if there are
  /// none.
  bool update();

  const std::string& path() const { return file; }
  /// The messages of the last run, as `dplc check` prints them.
  const DiagnosticEngine& diagnostics() const { return joined; }
  const CompiledUnit& unit() const { return *compiled; }
  /// The names of the file, which are resolved when they are first asked for. Their sources are
  /// `sources`.
  FileNames& names();
  /// The id of the file among the sources; none if the text is not one that can be read.
  std::optional<std::uint32_t> source() const { return compiled->source(); }
  /// The value of a figure of a layout, once its plan is judged; none if it has no such figure.
  std::optional<double> figure(const std::string& layout, const std::string& path);
  const SourceManager& sources() const { return workspace->sources(); }
  bool isReady() const { return compiled != nullptr; }
  /// The plans of the file and, while it has errors, of the layouts that do not read the values
  /// that are missing. The messages of the latter are not shown, because `dplc check` has none.
  std::vector<CheckedPlan> plans();
  /// Plans that were not judged yet.
  const std::vector<SlowPlan>& slowPlans() const { return slow; }
  /// Whether a file that this one has read has another text now.
  bool isOutdated() const;

private:
  void judge(ir::Plan&& plan, bool later);
  void judgeAroundMissingValues();
  /// Judges a plan that is not slow.
  std::shared_ptr<const PlanResult> judgeNow(ir::Plan plan, const CompiledUnit& unit);
  static void add(const CheckedPlan& plan, DiagnosticEngine& diags, std::uint64_t& actions,
                  RunSums& sums);
  void join();

  std::string file;
  const FileSource& files;
  PlanTable& table;
  std::shared_ptr<Workspace> workspace;
  std::size_t bytes = 0; ///< of all texts that the workspace has read
  std::shared_ptr<CompiledUnit> compiled;
  std::unique_ptr<FileNames> fileNames;
  DiagnosticEngine ofFile, joined;
  std::vector<CheckedPlan> checked;
  std::optional<std::vector<CheckedPlan>>
      aroundMissing; ///< plans without messages; none: not asked
  std::vector<SlowPlan> slow;
  /// The other files that were read, with their stamps.
  std::shared_ptr<std::map<std::string, std::uint64_t>> stamps;
  unsigned judgedNow = 0; ///< plans that this run has judged itself
};

} // namespace dpl::tool
