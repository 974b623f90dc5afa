// Scenarios whose model is a profile.
#include "models/cost/work.h"
#include "scenarios/resolve/prepared.h"
#include "tests/scenarios/messages.h"
#include "tests/support/temp_folder.h"

#include <fstream>
#include <string>

using namespace foretrain;

namespace {

/// A profile of two layers with scenarios that use it; their model is on line 2.
class Profile {
 public:
  Profile() {
    std::ofstream(path()) << "layer,parameter_bytes,forward_ms,backward_ms\n"
                             "a,4000,1,2\nb,8000,3,4\n";
  }
  [[nodiscard]] std::string path() const { return folder_ / "two.csv"; }
  [[nodiscard]] std::string text(const std::string& rest, const std::string& more = {}) const {
    return "foretrain: 1\nmodel: {profile: " + path() + more + "}\n" + rest;
  }

 private:
  TempFolder folder_;
};

std::shared_ptr<const Training> profiled_training(const std::string& text) {
  return prepare(parse_scenario(text, "x.yaml").front(), Need::shape).training;
}

std::string profile_error(const std::string& text) {
  return error_of([&] { profiled_training(text); });
}

}  // namespace

TEST_CASE("profile scenario: the file is the network and numerics are off by themselves") {
  const Profile profile;
  const Scenario s = only(profile.text("training: {steps: 5}\n"));
  CHECK(!s.numerics);
  CHECK(s.model.label() == "two");
  const auto training = profiled_training(profile.text("training: {steps: 5}\n"));
  CHECK(training->network->profiled());
  CHECK(training->layout->parameters == 3'000);
  CHECK(training->steps == 5);
  CHECK(training->test_examples == 0);
}

TEST_CASE("profile scenario: it survives the resolved scenario") {
  const Profile profile;
  for (const std::string& rest :
       {std::string("training: {steps: 5}\n"), std::string("dataset: {take: 640}\n")}) {
    const Scenario once = only(profile.text(rest, ", profile_batch: 16"));
    CHECK(to_yaml(once).find("format") == std::string::npos);
    CHECK(only(to_yaml(once)) == once);
  }
}

TEST_CASE("profile scenario: times are of its batch size else of the training's") {
  const Profile profile;
  const std::string rest = "training: {steps: 5, batch_size: 64}\n";
  const auto gradient = [](const std::string& text) {
    return gradient_cost(*profiled_training(text)->network, 64).measured;
  };
  CHECK(gradient(profile.text(rest)) == Duration{10'000'000});
  CHECK(gradient(profile.text(rest, ", profile_batch: 32")) == Duration{20'000'000});
}

TEST_CASE("profile scenario: two batches need the size of the first") {
  const TempFolder folder;
  std::ofstream(folder / "t.csv")
      << "layer,parameter_bytes,forward_ms,backward_ms,forward_ms@8,backward_ms@8\na,4,2,4,1,2\n";
  const auto text = [&](const std::string& more) {
    return "foretrain: 1\nmodel: {profile: " + (folder / "t.csv") + more +
           "}\ntraining: {steps: 5, batch_size: 16}\n";
  };
  CHECK(profile_error(text("")).find("write profile_batch, that of the columns without @") !=
        std::string::npos);
  const auto training = profiled_training(text(", profile_batch: 24"));
  CHECK(gradient_cost(*training->network, 16).measured == Duration{4'500'000});
}

TEST_CASE("profile scenario: epochs need the number of examples") {
  const Profile profile;
  CHECK(profiled_training(profile.text("dataset: {take: 640, test_take: 7}\n"
                                       "training: {epochs: 2, batch_size: 32}\n"))
            ->steps == 40);
  CHECK(scenario_error(profile.text("training: {epochs: 2}\n")) ==
        "x.yaml:3:20: training.epochs: a profile does not have the number of examples; write "
        "dataset: {take: ...}, or give the length as training.steps");
  CHECK(scenario_error(profile.text("")).find("a profile does not have the number of examples") !=
        std::string::npos);
}

TEST_CASE("profile scenario: numerics cannot be on") {
  const Profile profile;
  CHECK(scenario_error(profile.text("training: {steps: 5}\nnumerics: on\n")) ==
        "x.yaml:4:11: numerics: on, but a profile has times alone, no gradients to compute; write "
        "off, or leave it out");
}

TEST_CASE("profile scenario: it reads no examples") {
  const Profile profile;
  CHECK(scenario_error(profile.text("dataset: {format: images, side: 64}\n"
                                    "training: {steps: 5}\n")) ==
        "x.yaml:3:19: dataset.format: set to images, but no case uses it (a profile reads no "
        "examples; take and test_take give their number); remove it");
  const Case scenario_case = parse_scenario(profile.text("training: {steps: 5}\n"), "x").front();
  CHECK(error_of([&] {
          prepare(scenario_case, Need::examples);
        }).find("a profile has times, no layers") != std::string::npos);
}

TEST_CASE("profile scenario: another network beside it is refused") {
  const Profile profile;
  const std::string rest = "training: {steps: 5}\n";
  CHECK(scenario_error(profile.text(rest, ", name: lenet"))
            .find("model.name: set to lenet, but no case uses it") != std::string::npos);
  CHECK(scenario_error(profile.text(rest, ", layers: [dense]")).find("model.profile: set to") !=
        std::string::npos);
  CHECK(scenario_error("foretrain: 1\nmodel: {name: lenet, profile_batch: 8}\n")
            .find("model.profile_batch: set to 8, but no case uses it (only a profile") !=
        std::string::npos);
}

TEST_CASE("profile scenario: what is wrong in its file is told with both places") {
  CHECK(profile_error("foretrain: 1\nmodel: {profile: nowhere.csv}\ntraining: {steps: 5}\n") ==
        "x.yaml:2:18: model.profile: nowhere.csv: no such file; check the path");
  const Profile profile;
  std::ofstream(profile.path()) << "layer,parameter_bytes,forward_ms,backward_ms\na,4,1,-1\n";
  CHECK(profile_error(profile.text("training: {steps: 5}\n")) ==
        "x.yaml:2:18: model.profile: " + profile.path() +
            ":2:7: backward_ms: -1 is negative; write 0 or more");
}

TEST_CASE("profile scenario: more servers than parameters and endless batches are refused") {
  const Profile profile;
  CHECK(profile_error(profile.text("training: {steps: 5, servers: 4000}\n"))
            .find("training.servers: 4000 servers for the 3000 parameters of two") !=
        std::string::npos);
  CHECK(profile_error(profile.text("training: {steps: 5}\ndataset: {test_take: 1e12}\n"))
            .find("x.yaml:2:18: model.profile: 1000000000000 examples take longer than") == 0);
}
