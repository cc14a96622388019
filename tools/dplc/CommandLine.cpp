//===- CommandLine.cpp - The command line of dplc ---------------------------------------------===//
//
// The only file that includes CLI11, and with frontend/parse/ParseTree.cpp the only one of ours
// that is compiled with exceptions: CLI11 reports by throwing.
#include "backends/Target.h"
#include "tools/dplc/Options.h"
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cstring>
#include <functional>
#include <memory>
using namespace dpl;
using namespace dpl::tool;

namespace {
constexpr const char* description =
    "dplc: the compiler for training layouts. A .dpl file says which model trains on which\n"
    "cluster and how it is cut up; dplc checks it, predicts it and writes the launch files.";

constexpr const char* examples =
    "Examples:\n"
    "  dplc new first.dpl                         write a first file\n"
    "  dplc check first.dpl                       is it legal, does it fit, how fast is it\n"
    "  dplc report first.dpl --why memory.peak    where a figure comes from\n"
    "  dplc check plan.dpl --set pod_nodes=128    the same file with another value\n"
    "  dplc emit megatron plan.dpl -o launch      files for Megatron-LM\n"
    "  dplc explain DPL0301                       what a diagnostic means\n"
    "\n"
    "Exit codes: 0 all is well; 1 the file is wrong or the plan illegal; 2 the command line is\n"
    "wrong; 3 a file cannot be read or the output cannot be written.\n";

/// Help as `usage`, a sentence, then the lists, then the examples.
class Formatter final : public CLI::Formatter {
public:
  Formatter() {
    column_width(30);
    label("SUBCOMMAND", "COMMAND");
    label("Subcommands", "Commands");
    label("Positionals", "Arguments");
  }
  std::string make_usage(const CLI::App* app, std::string name) const override {
    std::string usage = CLI::Formatter::make_usage(app, name);
    if (app->get_name() == "emit") // its last word is the file
      usage.replace(usage.find("[TARGET...]"), std::strlen("[TARGET...]"), "TARGET... FILE");
    return usage;
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    // What the option takes is in its name; CLI11 would add its type and the word REQUIRED.
    std::string type = option->get_type_name();
    type = type.substr(0, type.find(":{")); // the description says which
    return option->get_positional() || type.empty() ? "" : " " + type;
  }
};

class Builder {
public:
  explicit Builder(Options& options) : app(description, "dplc"), options(options) {
    app.formatter(std::make_shared<Formatter>());
    app.footer(examples);
    app.set_version_flag("--version", "dplc " DPL_VERSION)->description("the version");
    app.require_subcommand(1);
    app.get_help_ptr()->description("this help; `dplc COMMAND --help` for one command");
    check();
    report();
    emit();
    ir();
    fmt();
    show();
    explain();
    create();
    completion();
  }
  CLI::App app;

private:
  CLI::App* add(Command command, const char* name, const std::string& summary, const char* footer) {
    CLI::App* sub = app.add_subcommand(name, summary);
    sub->formatter(app.get_formatter());
    sub->footer(footer);
    sub->get_help_ptr()->description("this help");
    sub->callback([this, command] { options.command = command; });
    return sub;
  }

  CLI::Option* file(CLI::App* sub, bool required = true) {
    return sub
        ->add_option_function<std::string>(
            "FILE", [this](const std::string& path) { options.files = {path}; }, "a .dpl file")
        ->required(required)
        ->type_name("");
  }

  void layout(CLI::App* sub, const char* text) {
    sub->add_option("--layout", options.layout, text)->type_name("NAME");
  }

  /// What every command that compiles a file takes.
  void compilation(CLI::App* sub) {
    sub->add_option("--set", options.set, "set a field or parameter: pod.nodes=64")
        ->type_name("PATH=VALUE")
        ->allow_extra_args(false);
    sub->add_option("--set-file", options.setFiles,
                    "set those that a file lists, one PATH = VALUE a line")
        ->type_name("FILE")
        ->allow_extra_args(false);
    sub->add_option("--warn", options.warn,
                    "report NAME as a warning, or set a threshold: lint.bubble=0.2")
        ->type_name("NAME")
        ->allow_extra_args(false);
    sub->add_option("--error", options.error, "report warning NAME as an error")
        ->type_name("NAME")
        ->allow_extra_args(false);
    sub->add_option("--no-warn", options.noWarn, "do not report warning NAME")
        ->type_name("NAME")
        ->allow_extra_args(false);
    sub->add_option_function<std::string>(
           "--diagnostics",
           [this](const std::string& format) {
             options.diagnostics = format == "json"    ? DiagnosticFormat::Json
                                   : format == "sarif" ? DiagnosticFormat::Sarif
                                                       : DiagnosticFormat::Text;
           },
           "text, json (one object a line) or sarif (2.1.0)")
        ->type_name("FORMAT")
        ->check(CLI::IsMember({"text", "json", "sarif"}));
  }

  void check() {
    CLI::App* sub = add(
        Command::Check, "check", "is the file right, the plan legal; does it fit, how fast is it",
        "Every layout of the file is checked. Diagnostics go to standard error; as JSON or SARIF\n"
        "they go to standard output in place of the screen.\n");
    file(sub);
    layout(sub, "check this layout only");
    sub->add_flag("--json", options.json,
                  "results and diagnostics as one JSON object (docs/json.md)");
    sub->add_option("--target", options.targets,
                    "also what this target would refuse: megatron, megatron@0.16")
        ->type_name("TARGET")
        ->allow_extra_args(false);
    compilation(sub);
  }

  void report() {
    CLI::App* sub =
        add(Command::Report, "report", "the full breakdown of memory, time and traffic",
            "PATH is a figure (memory.peak, step_time, mfu) or a field (layout.mesh.tensor):\n"
            "a figure shows its formula down to the inputs, a field who set it.\n");
    file(sub);
    layout(sub, "which layout, where the file has several");
    CLI::Option* json = sub->add_flag("--json", options.json, "the report as JSON (docs/json.md)");
    sub->add_option("--why", options.why, "where a figure or a field's value comes from")
        ->type_name("PATH")
        ->excludes(json);
    compilation(sub);
  }

  void emit() {
    CLI::App* sub =
        add(Command::Emit, "emit", "launch files for frameworks: dplc emit megatron FILE -o DIR",
            "TARGET is a name of `dplc emit --list`, with a release where it has several:\n"
            "megatron@0.16. Several targets are written into a folder each below DIR. DIR is\n"
            "written whole or not at all; one that dplc wrote before is replaced, any other\n"
            "is left alone.\n");
    sub->add_option_function<std::vector<std::string>>(
           "TARGET",
           [this](const std::vector<std::string>& words) {
             options.targets.assign(words.begin(), words.end() - 1);
             options.files = {words.back()};
           },
           "targets, and last a .dpl file")
        ->type_name("");
    CLI::Option* output =
        sub->add_option("-o,--output", options.output, "the folder to write")->type_name("DIR");
    CLI::Option* dry = sub->add_flag("--dry-run", options.dryRun, "print the files instead");
    output->excludes(dry);
    sub->add_flag("--diff", options.diff,
                  "print what would change in DIR instead; exit 1 if anything would")
        ->needs(output)
        ->excludes(dry);
    sub->add_flag("--list", options.list, "the targets and their releases");
    layout(sub, "which layout, where the file has several");
    compilation(sub);
  }

  void ir() {
    CLI::App* sub = add(Command::Ir, "ir", "the typed plan as text, after all passes",
                        "The text reads back: `dplc ir FILE > plan.ir` and `dplc ir --read "
                        "plan.ir` print the same.\n");
    file(sub, false);
    layout(sub, "which layout, where the file has several");
    sub->add_option("--dump-after", options.dumpAfter, "stop after this pass and print the plan")
        ->type_name("PASS");
    sub->add_flag("--time-passes", options.timePasses,
                  "how long each pass took, on standard error");
    sub->add_flag("--list-passes", options.listPasses, "the passes in their order");
    sub->add_flag("--read", options.read, "FILE is a printed plan");
    compilation(sub);
  }

  void fmt() {
    CLI::App* sub =
        add(Command::Fmt, "fmt", "format files in place; there is one format and no options", "");
    sub->add_option("FILE", options.files, ".dpl files")->required()->type_name("");
    sub->add_flag("--check", options.checkOnly, "name the files that would change and exit with 1");
  }

  void show() {
    CLI::App* sub =
        add(Command::Show, "show", "a declaration of the library: std.clusters.dgx_h100",
            "`dplc show std` lists the modules, `dplc show std.models` is a whole module.\n");
    sub->add_option("NAME", options.topic, "std, a module or a declaration")
        ->required()
        ->type_name("");
  }

  void explain() {
    CLI::App* sub =
        add(Command::Explain, "explain", "what a diagnostic means and how to mend it; or the units",
            "Without CODE: the list of all. `dplc explain units` prints the unit table,\n"
            "`dplc explain megatron` lists the rules of a target.\n");
    sub->add_option("CODE", options.topic, "DPL0301, mesh-size-mismatch, megatron.M17, units")
        ->type_name("");
  }

  void create() {
    CLI::App* sub = add(Command::New, "new", "write a first file that checks", "");
    file(sub)->description("the file to write; it must not exist");
  }

  void completion() {
    CLI::App* sub = add(Command::Completion, "completion", "completions for bash or zsh",
                        "  eval \"$(dplc completion bash)\"                      in ~/.bashrc\n"
                        "  dplc completion zsh > \"${fpath[1]}/_dplc\"           for zsh\n");
    sub->add_option("SHELL", options.topic, "bash or zsh")
        ->required()
        ->type_name("")
        ->check(CLI::IsMember({"bash", "zsh"}));
  }

  Options& options;
};

/// CLI11's sentence, lower case as our own messages are.
std::string sentence(std::string text) {
  if (!text.empty() && (text.size() < 2 || text[1] < 'A' || text[1] > 'Z'))
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

/// What CLI11 says badly or not at all; empty when nothing is wrong.
std::string ownError(int argc, const char* const* argv, const CLI::App& app) {
  if (argc < 2)
    return "a command is needed";
  const std::string first = argv[1];
  if (first.empty() || first[0] == '-')
    return "";
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    if (sub->get_name() == first)
      return "";
  return "there is no command `" + first + "`";
}

/// Long option names of a command, with `--`.
std::vector<std::string> optionNames(const CLI::App& sub) {
  std::vector<std::string> names;
  for (const CLI::Option* option : sub.get_options())
    for (const std::string& name : option->get_lnames())
      names.push_back("--" + name);
  return names;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words)
    text += (text.empty() ? "" : " ") + word;
  return text;
}
} // namespace

CommandLine tool::parseCommandLine(int argc, const char* const* argv) {
  CommandLine line;
  try {
    Builder builder(line.options);
    try {
      line.text = ownError(argc, argv, builder.app);
      line.run = line.text.empty();
      if (line.run)
        builder.app.parse(argc, argv);
      line.exitCode = line.run ? exitOk : exitUsage;
    } catch (const CLI::CallForHelp&) {
      line.run = false;
      line.text = builder.app.help();
    } catch (const CLI::CallForVersion&) {
      line.run = false;
      line.text = "dplc " DPL_VERSION "\n";
    } catch (const CLI::ParseError& error) {
      line.run = false;
      const CLI::App* sub = nullptr;
      for (const CLI::App* parsed : builder.app.get_subcommands())
        sub = parsed;
      line.exitCode = exitUsage;
      line.text = sentence(error.what());
      line.options.topic = sub ? sub->get_name() : "";
    }
  } catch (const std::exception& error) {
    line.exitCode = exitUsage;
    line.text = sentence(error.what());
  }
  return line;
}

std::string tool::completionScript(const std::string& shell) {
  Options unused;
  const Builder builder(unused);
  std::vector<std::string> names;
  std::string cases;
  for (const CLI::App* sub : builder.app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(sub->get_name());
    std::vector<std::string> words = optionNames(*sub);
    if (sub->get_name() == "emit")
      for (const Target* target : allTargets())
        words.emplace_back(target->name);
    if (sub->get_name() == "explain") {
      words.emplace_back("units");
      for (const DiagInfo& row : allDiagnostics())
        if (row.severity != Severity::Note)
          words.emplace_back(row.code);
    }
    if (sub->get_name() == "completion")
      words.insert(words.begin(), {"bash", "zsh"});
    cases += "    " + sub->get_name() + ") words=\"" + joined(words) + "\" ;;\n";
  }
  const std::string top = joined(names) + " --help --version";
  if (shell == "zsh")
    return "#compdef dplc\n"
           "# zsh completion for dplc\n"
           "_dplc() {\n"
           "  local words_of_command\n"
           "  if (( CURRENT == 2 )); then\n"
           "    compadd -- " +
           top +
           "\n"
           "    return\n"
           "  fi\n"
           "  local command=${words[2]} words=\"\"\n"
           "  case $command in\n" +
           cases +
           "  esac\n"
           "  words_of_command=(${=words})\n"
           "  compadd -- $words_of_command\n"
           "  _files\n"
           "}\n"
           "compdef _dplc dplc\n";
  return "# bash completion for dplc\n"
         "_dplc() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} words=\"\"\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
         "    mapfile -t COMPREPLY < <(compgen -W \"" +
         top +
         "\" -- \"$current\")\n"
         "    return\n"
         "  fi\n"
         "  case ${COMP_WORDS[1]} in\n" +
         cases +
         "  esac\n"
         "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\"; compgen -f -- "
         "\"$current\")\n"
         "}\n"
         "complete -o filenames -F _dplc dplc\n";
}
