#include "scenarios/import/pipedream_graph.h"

#include "scenarios/decimal.h"
#include "scenarios/input_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

namespace foretrain {
namespace {

constexpr std::string_view kNode = "node";
constexpr std::string_view kBetween = " -- ";

struct GraphNode {
  ImportedLayer layer;
  std::vector<std::int64_t> next;
  int before = 0;  // nodes that come first
};

class GraphReader {
 public:
  GraphReader(std::string_view text, const std::string& source) : source_(source) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      ++line_;
      read(text.substr(0, end));
      text.remove_prefix(std::min(text.size(), end + 1));
    }
  }

  ImportedJob take() {
    ImportedJob job;
    job.source = source_;
    std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>> ready;
    for (const auto& [number, node] : nodes_) {
      if (node.before == 0) ready.push(number);
    }
    while (!ready.empty()) {
      GraphNode& node = nodes_.at(ready.top());
      ready.pop();
      for (const std::int64_t next : node.next) {
        if (--nodes_.at(next).before == 0) ready.push(next);
      }
      job.forward_s += node.layer.forward_s;
      job.backward_s += node.layer.backward_s;
      job.parameters += node.layer.parameters.value / 4;
      job.layers.push_back(std::move(node.layer));
    }
    if (nodes_.empty()) throw InputError(source_ + ": no layer is in it");
    if (job.layers.size() < nodes_.size()) {
      throw InputError(source_ + ": its edges go in a circle; check them");
    }
    job.notes.emplace_back("A graph has layers alone: optimizer, input and gaps are not in it.");
    return job;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("{}:{}: {}", source_, line_, what));
  }

  void read(std::string_view line) {
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
    if (line.empty()) return;
    const bool edge = line.front() == '\t';
    if (edge) line.remove_prefix(1);
    const std::size_t middle = line.find(kBetween);
    if (middle == std::string_view::npos) {
      fail(
          "neither a layer nor an edge; write `node1 -- Name -- forward_compute_time=...` or "
          "`<tab>node1 -- node2`");
    }
    const std::int64_t number = number_of(line.substr(0, middle));
    const std::string_view rest = line.substr(middle + kBetween.size());
    edge ? add_edge(number, number_of(rest)) : add_node(number, rest);
  }

  [[nodiscard]] std::int64_t number_of(std::string_view node) const {
    if (node.starts_with(kNode)) {
      if (const auto number = parse_decimal(node.substr(kNode.size()))) {
        const auto whole = to_integer(*number);
        if (whole && *whole >= 0) return *whole;
      }
    }
    fail(fmt::format("'{}' names no node; write node1, node2, ...", node));
  }

  void add_node(std::int64_t number, std::string_view rest) {
    const std::size_t values = rest.rfind(kBetween);
    if (values == std::string_view::npos) fail("a layer without times");
    GraphNode& node = nodes_[number];
    if (!node.layer.name.empty()) fail(fmt::format("node{} a second time", number));
    const std::string_view name = rest.substr(0, values);
    const std::string_view figures = rest.substr(values + kBetween.size());
    node.layer.name = fmt::format("{} {}", number, name.substr(0, name.find('(')));
    constexpr double kMilli_s = 1e-3;
    node.layer.forward_s = figure(figures, "forward_compute_time=") * kMilli_s;
    node.layer.backward_s = figure(figures, "backward_compute_time=") * kMilli_s;
    node.layer.parameters = {static_cast<std::int64_t>(figure(figures, "parameter_size="))};
  }

  void add_edge(std::int64_t from, std::int64_t to) {
    for (const std::int64_t each : {from, to}) {
      if (!nodes_.contains(each)) fail(fmt::format("there is no layer node{} above", each));
    }
    nodes_[from].next.push_back(to);
    ++nodes_[to].before;
  }

  [[nodiscard]] double figure(std::string_view figures, std::string_view key) const {
    const std::size_t place = figures.find(key);
    if (place == std::string_view::npos) fail(fmt::format("no {}", key.substr(0, key.size() - 1)));
    std::string_view text = figures.substr(place + key.size());
    text = text.substr(0, text.find(','));
    const auto number = parse_decimal(text);
    constexpr double kMost = 1e15;
    if (!number || number->negative || !(to_double(*number) < kMost)) {
      fail(fmt::format("{}: '{}' is no number of 0 or more", key.substr(0, key.size() - 1), text));
    }
    return to_double(*number);
  }

  std::string source_;
  std::size_t line_ = 0;
  std::map<std::int64_t, GraphNode> nodes_;  // by number
};

}  // namespace

bool is_pipedream_graph(std::string_view text) {
  return text.starts_with(kNode) &&
         text.substr(0, text.find('\n')).find(kBetween) != std::string_view::npos;
}

ImportedJob parse_pipedream_graph(std::string_view text, const std::string& source) {
  return GraphReader(text, source).take();
}

}  // namespace foretrain
