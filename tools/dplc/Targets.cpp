//===- Targets.cpp - Targets and rules as the command line names them -------------------------===//
#include "tools/dplc/Targets.h"
#include <fmt/format.h>
using namespace dpl;
using namespace dpl::tool;

namespace {
std::string releasesOf(const Target& target) {
  std::string out;
  for (const Release& release : target.releases)
    out += (out.empty() ? "" : " ") + release.text();
  return out;
}

std::string wrapped(llvm::StringRef text, std::size_t indent) {
  constexpr std::size_t width = 78;
  std::string out;
  std::size_t column = indent;
  for (auto [word, rest] = text.split(' '); !word.empty() || !rest.empty();
       std::tie(word, rest) = rest.split(' ')) {
    if (column > indent && column + 1 + word.size() > width) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    }
    if (column > indent) {
      out += ' ';
      ++column;
    }
    out += word.str();
    column += word.size();
  }
  return out;
}

std::string page(const Target& target, const RuleInfo& rule) {
  std::string message = rule.message;
  for (std::size_t at = 0; (at = message.find("{}", at)) != std::string::npos;)
    message.replace(at, 2, "…");
  const auto row = [](const char* head, llvm::StringRef text) {
    return fmt::format("  {:<10}{}\n", head, wrapped(text, 12));
  };
  std::string out = fmt::format("{}.{} {}\n\n", target.name, rule.code, rule.name);
  out += fmt::format("{} {}:\n  {}.\n\n", target.product,
                     rule.refused ? "refuses the plan" : "has no counterpart", wrapped(message, 2));
  if (rule.refused) {
    out += row("strikes", fateOf(rule));
    out += row("releases", rule.releases.text());
  }
  return out + row("mend", rule.fix);
}
} // namespace

std::string ChosenTarget::text() const {
  return target->product + (release.any() ? "" : " " + release.text());
}

FailureOr<std::vector<ChosenTarget>> tool::chooseTargets(Session& session) {
  std::vector<ChosenTarget> out;
  bool failed = false;
  for (const std::string& given : session.options.targets) {
    const auto [name, wanted] = llvm::StringRef(given).split('@');
    const Target* target = targetNamed(name);
    if (!target) {
      std::vector<std::string> names;
      for (const Target* t : allTargets())
        names.emplace_back(t->name);
      (void)session.diags.report<diag::UnknownTarget>({}, name.str())
          .help("the targets are " + alternatives(names));
      failed = true;
      continue;
    }
    Release release;
    const bool parsed = Release::parse(wanted.str(), release);
    const Release* found = nullptr;
    for (const Release& r : target->releases)
      if (parsed && r.covers(release))
        found = &r;
    if (given.find('@') == std::string::npos) {
      out.push_back({target, target->newest()});
    } else if (found) {
      out.push_back({target, *found});
    } else {
      const std::string known = releasesOf(*target);
      (void)session.diags.report<diag::UnknownRelease>({}, target->product, wanted.str(),
                                                       known.empty() ? "all of them" : known);
      failed = true;
    }
  }
  for (std::size_t i = 0; i < out.size() && !failed; ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (out[i].target == out[j].target) {
        (void)session.diags.report<diag::UsageError>(
            {}, fmt::format("target `{}` is named twice", out[i].target->name));
        failed = true;
      }
  if (failed)
    return LogicalResult::failure();
  return out;
}

std::string tool::targetList() {
  std::string out;
  for (const Target* target : allTargets()) {
    const std::string releases = releasesOf(*target);
    out += fmt::format("{:<12} {}\n", target->name, wrapped(target->summary, 13));
    if (!releases.empty())
      out += fmt::format("{:<12} {} {}\n", "", target->product, releases);
  }
  return out;
}

std::string tool::explainRule(llvm::StringRef topic) {
  const auto [name, wanted] = topic.split('.');
  const Target* target = targetNamed(name);
  if (!target)
    return "";
  std::string list;
  for (const RuleInfo& rule : target->rules) {
    if (wanted.equals_insensitive(rule.code) || wanted == rule.name)
      return page(*target, rule);
    list += fmt::format("{}.{:<5} {:<9} {}\n", target->name, rule.code,
                        rule.refused ? "refused" : "missing", rule.name);
  }
  return topic.contains('.') ? "" : list;
}
