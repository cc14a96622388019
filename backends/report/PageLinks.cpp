//===- PageLinks.cpp - The load of the links in the data of a page ----------------------------===//
#include "backends/report/PageLinks.h"
#include "cost/step/LinkUse.h"
#include "ir/FigureNames.h"
#include "ir/Names.h"
#include <cmath>
#include <fmt/format.h>
using namespace dpl;
using figures::Figures;

namespace {
bool nearlyEqual(double a, double b) { return std::abs(a - b) <= 1e-9 * std::abs(b); }

/// The derivation of the numbers of one row.
class LinkDerivation {
public:
  LinkDerivation(const ir::Plan& plan, const Figures& figures, const cost::LinkUse& use,
                 Json& details)
      : plan(plan), figures(figures), use(use), details(details),
        type(plan.cluster.network.links[use.link]),
        name(ir::writtenPath("link[" + type.displayName() + "]")) {}

  /// Adds the figures. Returns the paths of the bytes of each user.
  std::vector<std::string> add() {
    std::vector<std::string> sent;
    for (const cost::LinkUser& user : use.users)
      sent.push_back(addUser(user));
    std::string sum;
    for (std::size_t i = 0; i < sent.size(); ++i)
      sum += (i == 0 ? "" : " + ") + sent[i];
    put(name + ".sent", use.sent, "B", sum,
        "bytes over one link and direction in a step, of the links that carry most", sent);
    addBandwidth();
    put(name + ".busy", use.busy(), "s", name + ".sent / " + name + ".bandwidth",
        "time to send these bytes, without latency and waiting",
        {name + ".sent", name + ".bandwidth"});
    put(name + ".busy_share", use.busy() / plan.step->step, "", name + ".busy / step_time",
        "share of the step in which a link sends", {name + ".busy", "step_time"});
    return sent;
  }

private:
  void put(const std::string& path, double value, const char* unit, const std::string& formula,
           const std::string& note, const std::vector<std::string>& inputs) {
    Json one{{"value", value}, {"unit", unit}, {"provenance", "derived"}};
    if (!formula.empty())
      one["formula"] = formula;
    for (const std::string& input : inputs)
      one["inputs"].push_back(input);
    one["note"] = note;
    details.append(path, std::move(one));
  }

  /// Links that no group's load reads have no figure of their bandwidth.
  void addBandwidth() {
    if (!figures.find("link[" + type.displayName() + "].bandwidth"))
      put(name + ".bandwidth", use.bandwidth, "B/s", "",
          "bandwidth of one link and direction: that of its devices in the network, divided by the "
          "oversubscription up to it",
          {"link[network].bandwidth"});
  }

  /// The bytes of one user over one link. Returns the path of its figure.
  std::string addUser(const cost::LinkUser& user) {
    const std::string traffic = cost::pathOf(plan, user.traffic);
    // "tensor.activations.all_gather" for "communication[tensor].activations.all_gather"
    const auto [group, rest] = llvm::StringRef(traffic).split('[').second.split("].");
    const std::string path = name + fmt::format(".sent[\"{}.{}\"]", group.str(), rest.str());
    std::string sum;
    std::vector<std::string> inputs;
    double known = 0;
    for (const std::size_t level : use.levels) {
      const std::string figure =
          fmt::format("{}.{}", traffic, ir::name(plan.cluster.levels[level].level));
      const std::optional<double> bytes = figures.value(figure);
      if (!bytes || *bytes == 0)
        continue;
      known += *bytes;
      sum += (sum.empty() ? "" : " + ") + ir::writtenPath(figure);
      inputs.push_back(ir::writtenPath(figure));
    }
    const bool same = nearlyEqual(known, user.sent);
    std::string formula = same ? sum : "";
    if (same && !(use.devices == 1 && use.count == 1))
      formula = fmt::format("{} * {} / {}", inputs.size() > 1 ? "(" + sum + ")" : sum, use.devices,
                            use.count);
    put(path, user.sent * use.devicesPerLink(), "B", formula, noteOf(same), inputs);
    return path;
  }

  /// `same`: whether the rank of the figures carries these bytes.
  std::string noteOf(bool same) const {
    std::string note = "bytes of these operations over one link";
    if (use.devices > 1)
      note += use.count == 1 ? fmt::format("; {} devices share a link", use.devices)
                             : fmt::format("; {} devices share {} links", use.devices, use.count);
    if (!same)
      note += fmt::format("; they are of pipeline rank {}{}, and the inputs of the rank that sets "
                          "the step",
                          use.rank,
                          use.devices > 1 ? " or the mean of the ranks that share the links" : "");
    return note;
  }

  const ir::Plan& plan;
  const Figures& figures;
  const cost::LinkUse& use;
  Json& details;
  const ir::LinkType& type;
  const std::string name;
};
} // namespace

Json report::linksJson(const ir::Plan& plan, const Figures& figures, Json& details) {
  Json out = Json::array();
  for (const cost::LinkUse& use : cost::linkUseOf(plan)) {
    const ir::LinkType& link = plan.cluster.network.links[use.link];
    const std::vector<std::string> sent = LinkDerivation(plan, figures, use, details).add();
    Json users = Json::array();
    for (std::size_t i = 0; i < use.users.size(); ++i) {
      const double bytes = use.users[i].sent * use.devicesPerLink();
      users.push_back({{"figures", cost::pathOf(plan, use.users[i].traffic)},
                       {"path", sent[i]},
                       {"sent_bytes", bytes},
                       {"busy_s", bytes / use.bandwidth}});
    }
    Json one{{"link", link.displayName()},
             {"path", ir::writtenPath("link[" + link.displayName() + "]")},
             {"kind", ir::name(link.kind)},
             {"devices", use.devices},
             {"count", use.count},
             {"pipeline_rank", use.rank},
             {"bandwidth_bps", use.bandwidth * 8},
             {"latency_ps", link.latency},
             {"oversubscription", link.taper},
             {"sent_bytes", use.sent},
             {"busy_s", use.busy()},
             {"share", use.busy() / plan.step->step}};
    if (const auto exposed = figures.value("link[" + link.displayName() + "].exposed"))
      one["exposed_s"] = *exposed;
    one["users"] = std::move(users);
    out.push_back(std::move(one));
  }
  return out;
}
