// Scaffolds of scenarios: each combination of answers reads back with its meaning.
#include "scenarios/scaffold/scaffold.h"

#include "models/networks/registry.h"
#include "scenarios/resolve/placement.h"
#include "scenarios/resolve/prepared.h"
#include "scenarios/resolve/read.h"
#include "scenarios/scaffold/place.h"
#include "tests/scenarios/messages.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace foretrain {
namespace {

std::vector<Case> cases_of(const Scaffold& scaffold) {
  return parse_scenario(scaffold_yaml(completed_scaffold(scaffold), "mine.yaml"), "mine.yaml");
}

TEST_CASE("draft: every model learns from each of its formats, on this machine") {
  for (const std::string& model : network_names()) {
    for (const std::string& format : formats_for(model)) {
      CAPTURE(model, format);
      const std::vector<Case> cases = cases_of({model, format, "", "", "bottleneck"});
      REQUIRE(cases.size() == 1);
      const Scenario& scenario = cases.front().scenario;
      CHECK(scenario.model.name == model);
      CHECK(scenario.dataset.format == format);
      CHECK(scenario.dataset.path == (is_drawn(format) ? "" : "data/" + format));
      CHECK(scenario.cluster.hosts.empty());
      CHECK(scenario.numerics);
      if (is_drawn(format)) CHECK_NOTHROW(prepare(cases.front(), Need::shape));
    }
    CHECK(is_drawn(formats_for(model).front()));
  }
}

TEST_CASE("draft: every question is asked of this machine, of hosts of the library") {
  for (const ScaffoldQuestion& question : scaffold_questions()) {
    for (const char* cluster : {"here", "laptop x 3", "dgx-1 x 4"}) {
      CAPTURE(question.word, cluster);
      const Scaffold scaffold{"lenet", "digits", "", cluster, std::string(question.word)};
      for (const Case& each : cases_of(scaffold)) {
        CHECK(each.scenario.question == question.asks);
        CHECK_NOTHROW(prepare(each, Need::shape));
      }
    }
  }
}

TEST_CASE("draft: a question is asked as it has to be") {
  const auto settings = [](const char* question, const char* cluster) {
    std::vector<std::string> values;
    for (const Case& each : cases_of({"", "", "", cluster, question})) {
      values.push_back(each.settings.empty() ? "" : each.settings.front().value);
    }
    return values;
  };
  using Values = std::vector<std::string>;
  CHECK(settings("strategy", "here") == Values{"sync", "async"});
  CHECK(settings("workers", "here") == Values{"1", "2", "3"});
  CHECK(settings("workers", "dgx-1") == Values{"1", "2", "4", "8"});
  CHECK(settings("workers", "laptop x 3") == Values{"1", "2", "3"});
  CHECK(settings("straggler", "dgx-1") == Values{"sync", "async", "all_reduce"});
  CHECK(settings("bottleneck", "dgx-1") == Values{""});
  const Case slow = cases_of({"", "", "", "dgx-1 x 2", "straggler"}).front();
  REQUIRE(slow.scenario.stragglers.size() == 1);
  CHECK(slow.scenario.stragglers.front().workers == std::vector<int>{15});
}

TEST_CASE("draft: hosts with devices have a worker a device, in a ring") {
  const Case four = cases_of({"", "", "", "dgx-1x4", "bottleneck"}).front();
  CHECK(four.scenario.training.workers == 32);
  CHECK(four.scenario.training.strategy == "all_reduce");
  CHECK_FALSE(four.scenario.numerics);
  REQUIRE(four.scenario.cluster.hosts.size() == 1);
  CHECK(four.scenario.cluster.hosts.front().count == 4);  // a ring has no server
  CHECK(four.scenario.cluster.hosts.front().devices == 8);
  const Case cores = cases_of({"", "", "", "xl170 x 3", "bottleneck"}).front();
  CHECK(cores.scenario.training.workers == 3);
  CHECK(cores.scenario.training.strategy == "sync");
}

TEST_CASE("draft: no worker shares a host of the cluster with a server") {
  for (const ScaffoldQuestion& question : scaffold_questions()) {
    for (const char* cluster : {"laptop x 3", "dgx-1 x 2", "xl170", "3 of mine"}) {
      for (const Case& each : cases_of({"", "", "", cluster, std::string(question.word)})) {
        CAPTURE(question.word, cluster, each.label());
        const int workers = each.scenario.training.workers;
        const auto places = place_nodes(each.scenario);
        for (std::size_t server = static_cast<std::size_t>(workers); server < places.size();
             ++server) {
          for (int worker = 0; worker < workers; ++worker) {
            CHECK(places[static_cast<std::size_t>(worker)].host != places[server].host);
          }
        }
      }
    }
  }
}

TEST_CASE("draft: of the user's machines the last one is the server's") {
  const Case three = cases_of({"", "", "", "3 machines of mine", "bottleneck"}).front();
  CHECK(three.scenario.training.workers == 2);
  REQUIRE(three.scenario.cluster.hosts.size() == 1);
  CHECK(three.scenario.cluster.hosts.front().name == kOwnHost);
  CHECK(three.scenario.cluster.hosts.front().count == 3);
  CHECK(place_nodes(three.scenario).back().host_name == "mine2");
  CHECK(completed_scaffold({"", "", "", "1 machine of mine", ""}).cluster == kHere);
}

TEST_CASE("draft: a question about learning computes gradients, on any hosts") {
  for (const char* cluster : {"here", "laptop x 3", "dgx-1 x 4"}) {
    const Case drafted = cases_of({"lenet", "", "", cluster, "strategy"}).front();
    CHECK(drafted.scenario.numerics);
    CHECK(drafted.scenario.training.evaluate_every > 0);
  }
  CHECK(cases_of({"", "", "", "dgx-1 x 4", "strategy"}).front().scenario.training.steps == 125);
  CHECK_FALSE(cases_of({"", "", "", "laptop x 3", "straggler"}).front().scenario.numerics);
}

TEST_CASE("draft: what was not said is filled in") {
  const Scaffold nothing = completed_scaffold({});
  CHECK(nothing.model == "softmax");
  CHECK(nothing.data == "digits");
  CHECK(nothing.cluster == "here");
  CHECK(nothing.question == "strategy");
  CHECK(completed_scaffold({"", "clicks", "", "", ""}).model == "sparse_logistic");
  CHECK(completed_scaffold({"", "idx", "", "", ""}).path == "data/idx");
  const Scaffold folder{"", "idx", "my data: #1", "", ""};
  CHECK(cases_of(folder).front().scenario.dataset.path == "my data: #1");
}

TEST_CASE("draft: an answer that means nothing is told with its option") {
  const auto told = [](const Scaffold& scaffold) {
    return error_of([&] { completed_scaffold(scaffold); });
  };
  CHECK(told({"lennet", "", "", "", ""}).find("--model lennet: did you mean lenet? Or write") == 0);
  CHECK(told({"lenet", "clicks", "", "", ""}) ==
        "--data clicks: write one of digits, images, idx, cifar10");
  CHECK(told({"", "sounds", "", "", ""}).find("--data sounds: write one of digits") == 0);
  CHECK(told({"", "digits", "here", "", ""}).find("--path here: digits are generated") == 0);
  CHECK(told({"", "", "", "dgx-7 x 2", ""}).find("--cluster dgx-7: did you mean dgx-") == 0);
  CHECK(told({"", "", "", "dgx-1 x 0", ""}) == "--cluster dgx-1 x 0: write 1 to 512 hosts");
  CHECK(told({"", "", "", "x 4", ""}).find("--cluster : ") == 0);
  CHECK(told({"", "", "", "", "why"}).find("--question why: write one of strategy") == 0);
}

}  // namespace
}  // namespace foretrain
