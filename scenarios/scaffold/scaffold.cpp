// Scenarios as text with comments, because people continue in an editor.
#include "scenarios/scaffold/scaffold.h"

#include "models/base/check.h"
#include "models/networks/registry.h"
#include "scenarios/language/input_error.h"
#include "scenarios/language/propose.h"
#include "scenarios/language/value.h"
#include "scenarios/library/library.h"
#include "scenarios/scaffold/counted_yaml.h"
#include "scenarios/scaffold/place.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace foretrain {
namespace {

constexpr auto kScaffoldQuestions = std::to_array<ScaffoldQuestion>(
    {{"strategy", "Is asynchronous training faster than synchronous, and does it learn as well?"},
     {"bottleneck", "What limits this training, and what would each change buy?"},
     {"workers", "How much faster is it with more workers?"},
     {"straggler", "What does one slow machine cost, and which strategy suffers least?"},
     {"budget", "Which hosts do it within a deadline and a budget?"}});

/// Settings of a first training, which takes seconds on this machine.
struct FirstLook {
  std::string_view model;
  std::vector<std::string> formats;
  int batch_size;
  int steps;
  std::string_view optimizer;
};

const std::vector<FirstLook>& first_looks() {
  static const std::vector<std::string> images{"digits", "images", "idx", "cifar10"};
  static const std::vector<FirstLook> looks{
      {"softmax", images, 256, 2000, "{name: sgd, learning_rate: 0.05}"},
      {"mlp", images, 128, 500, "{name: sgd, learning_rate: 0.05}"},
      {"lenet", images, 64, 300, "{name: adam, learning_rate: 0.001}"},
      {"lenet_large", images, 32, 60, "{name: adam, learning_rate: 0.001}"},
      {"alexnet", {"images"}, 16, 10, "{name: momentum, learning_rate: 0.01}"},
      {"alexnet_cifar", {"images", "cifar10"}, 32, 60, "{name: momentum, learning_rate: 0.01}"},
      {"vgg11", {"images", "cifar10"}, 32, 10, "{name: momentum, learning_rate: 0.05}"},
      {"resnet20", {"images", "cifar10"}, 32, 60, "{name: momentum, learning_rate: 0.05}"},
      {"sparse_logistic",
       {"clicks", "libsvm", "criteo"},
       64,
       2000,
       "{name: ftrl, learning_rate: 0.1}"}};
  return looks;
}

const FirstLook& first_look(const std::string& model) {
  const auto& looks = first_looks();
  const auto found = std::ranges::find(looks, model, &FirstLook::model);
  FT_CHECK(found != looks.end());
  return *found;
}

/// The simplest network that learns from such data; softmax if none does, so that the error message
/// lists its formats.
std::string model_for(const std::string& data) {
  const auto& looks = first_looks();
  const auto fits = [&](const FirstLook& look) {
    return std::ranges::find(look.formats, data) != look.formats.end();
  };
  const auto found = std::ranges::find_if(looks, fits);
  return std::string(found == looks.end() ? looks.front().model : found->model);
}

/// `answer` as `known` has it. @throws InputError if it is not one of them, in any case
std::string known_word(std::string_view option, const std::string& answer,
                       const std::vector<std::string>& known) {
  if (std::string word = in_any_case(answer, known); !word.empty()) return word;
  const std::string near = nearest(answer, known);
  throw InputError(fmt::format("{} {}: {}write one of {}", option, answer,
                               near.empty() ? "" : fmt::format("did you mean {}? Or ", near),
                               fmt::join(known, ", ")));
}

/// Strategies that the question compares; empty if it concerns one.
std::string_view compared(std::string_view question) {
  if (question == "strategy") return "[sync, async]";
  return question == "straggler" ? "[sync, async, all_reduce]" : "";
}

std::vector<std::string> question_words(const std::string& model) {
  std::vector<std::string> words;
  for (const ScaffoldQuestion& question : kScaffoldQuestions) {
    if (suits(question, model)) words.emplace_back(question.word);
  }
  return words;
}

std::string_view asked_by(const Scaffold& scaffold) {
  const auto found =
      std::ranges::find(kScaffoldQuestions, scaffold.question, &ScaffoldQuestion::word);
  FT_CHECK(found != kScaffoldQuestions.end());
  return found->asks;
}

std::string scaffold_header(const Scaffold& scaffold, const std::string& file) {
  // Editors look in the first line for the schema, which is beside the file.
  std::string text =
      fmt::format("# yaml-language-server: $schema=schema.json\n# {}\n", asked_by(scaffold));
  for (const NextCommand& next : next_commands(scaffold, file)) {
    text += fmt::format("#   {:<44} {}\n", next.command, next.what);
  }
  const std::string name = std::filesystem::path(file).stem().string();
  return text + fmt::format(
                    "# All keys: foretrain describe keys. To change one on the command line:\n"
                    "#   --set training.batch_size=32\n"
                    "# For completion in an editor write the schema beside this file:\n"
                    "#   foretrain check --schema >schema.json\n"
                    "foretrain: 1\nname: {}\nquestion: {}\n",
                    in_yaml(name), asked_by(scaffold));
}

/// Gradients are computed on this machine, or if the question is about learning.
bool learns(const Scaffold& scaffold, const ScaffoldPlace& place) {
  return place.here || scaffold.question == "strategy";
}

std::string scaffold_data(const Scaffold& scaffold, const ScaffoldPlace& place) {
  std::vector<std::string> others = formats_for(scaffold.model);
  std::erase(others, scaffold.data);
  std::string text = fmt::format("dataset:\n  format: {}", scaffold.data);
  if (!others.empty()) {
    text = fmt::format("dataset:\n  format: {:<22}# or {}", scaffold.data, fmt::join(others, ", "));
  }
  text += '\n';
  if (!is_drawn(scaffold.data)) {
    text += fmt::format("  path: {}  # folder of its files\n", in_yaml(scaffold.path));
  } else {
    text += "  # generated by the program: nothing to download\n";
  }
  if (scaffold.data == "images") {
    // The input of AlexNet; for other models as small as the other data sets.
    constexpr int kLargeSide = 224;
    constexpr int kLargeClasses = 1000;
    constexpr int kSmallSide = 32;
    constexpr int kSmallClasses = 10;
    const bool large = scaffold.model == "alexnet";
    text += fmt::format("  side: {:<24}# pixels\n  classes: {}\n", large ? kLargeSide : kSmallSide,
                        large ? kLargeClasses : kSmallClasses);
    if (learns(scaffold, place)) text += "  take: 1000\n  test_take: 100\n";
  }
  if (scaffold.data == "cifar10" && scaffold.model == "alexnet_cifar") {
    text += "  crop: 24\n  flip: on\n  standardise: on\n";
  }
  if (scaffold.data == "cifar10" && (scaffold.model == "vgg11" || scaffold.model == "resnet20")) {
    text += "  pad: 4\n  crop: 32\n  flip: on\n  standardise: on\n";
  }
  return text;
}

/// Whether there are no servers: workers on devices, unless the question compares strategies with
/// servers.
bool is_ring(const Scaffold& scaffold, const ScaffoldPlace& place) {
  return place.devices() && compared(scaffold.question).empty();
}

std::string scaffold_training(const Scaffold& scaffold, const ScaffoldPlace& place) {
  constexpr int kForecastSteps = 20;  // without numerics all steps are alike
  constexpr int kLooks = 10;
  const FirstLook& look = first_look(scaffold.model);
  const bool ring = is_ring(scaffold, place);
  std::string text = "training:\n";
  if (compared(scaffold.question).empty()) {
    text += fmt::format("  strategy: {:<20}# or {}\n", ring ? "all_reduce" : "sync",
                        ring ? "sync, async, ssp (with servers: 1), local_sgd"
                             : "async, ssp; without servers all_reduce, local_sgd");
  }
  text += fmt::format("  workers: {:<21}# nodes that compute gradients\n", place.workers);
  if (!ring) text += "  servers: 1                    # nodes that hold the parameters\n";
  text += fmt::format("  batch_size: {:<18}# batch size of each worker\n", look.batch_size);
  // As many gradients of all workers as here.
  const int learning = std::max(kLooks, look.steps * ScaffoldPlace{}.workers / place.workers);
  const int steps = learns(scaffold, place) ? learning : kForecastSteps;
  text +=
      fmt::format("  steps: {:<23}# gradients per worker; or epochs: 2, or updates: 5000\n", steps);
  text += fmt::format("  optimizer: {}\n", look.optimizer);
  if (learns(scaffold, place)) {
    text += fmt::format("  evaluate_every: {:<14}# steps between evaluations\n", steps / kLooks);
  }
  const bool sparse = scaffold.model == "sparse_logistic";  // sends touched parameters
  if (ring && !sparse) {
    text +=
        "  bucket_rule: ddp              # gradients are reduced as in PyTorch, 25 MiB at a time\n"
        "  bucket_size: 25 MiB\n";
  }
  return text;
}

/// Servers get the last host, one more than asked for unless the hosts are the user's own: messages
/// between a worker and a server on one host would be free.
std::string draft_cluster(const ScaffoldPlace& place, bool ring, bool learns) {
  if (place.here) {
    return "# Without cluster the hosts are this machine. To forecast other hosts:\n"
           "# cluster: {hosts: [{like: dgx-1, count: 4}]}   (foretrain describe hardware)\n";
  }
  const int count = place.hosts.count + (ring || place.own() ? 0 : 1);
  return fmt::format(
      "cluster:\n"
      "  hosts:\n"
      "    # Hosts of the library (foretrain describe hardware): like: NAME; or your figures.\n"
      "{}    - {{{}: {}, count: {}{}}}\n"
      "numerics: {:<22}# on: also gradients, loss and accuracy; off: only times\n",
      ring ? ""
           : "    # The last host is for the server: a worker beside it would send for free, "
             "and with\n    # async make most of the gradients.\n",
      place.own() ? "name" : "like", place.hosts.name, count,
      place.own() ? ", cores: 8, nic: 10 Gbps, latency: 20 us" : "", learns ? "on" : "off");
}

std::string scaffold_sweep(const Scaffold& scaffold, const ScaffoldPlace& place) {
  std::string text;
  if (scaffold.question == "straggler") {
    text = fmt::format("stragglers:\n  - {{workers: [{}], slowdown: 2}}  # takes twice as long\n",
                       place.workers - 1);
  }
  if (scaffold.question == "workers") {
    return fmt::format("sweep: {{training.workers: [{}]}}\n",
                       fmt::join(worker_counts(place), ", "));
  }
  const std::string_view strategies = compared(scaffold.question);
  if (strategies.empty()) return text;
  return text + fmt::format("sweep: {{training.strategy: {}}}\n", strategies);
}

}  // namespace

std::span<const ScaffoldQuestion> scaffold_questions() { return kScaffoldQuestions; }

bool suits(const ScaffoldQuestion& question, const std::string& model) {
  return compared(question.word).empty() || !is_counted(model);
}

std::vector<std::string> scaffold_models() {
  std::vector<std::string> names = network_names();
  const std::vector<std::string> counted = library_names("networks");
  names.insert(names.end(), counted.begin(), counted.end());
  return names;
}

std::vector<std::string> formats_for(const std::string& model) { return first_look(model).formats; }

bool is_drawn(std::string_view format) {
  return format == "digits" || format == "images" || format == "clicks";
}

Scaffold check_scaffold(Scaffold scaffold) {
  bool counted = false;
  if (!scaffold.model.empty()) {
    if (!is_config(scaffold.model)) {
      scaffold.model = known_word("--model", scaffold.model, scaffold_models());
    }
    counted = is_counted(scaffold.model);
    if (!counted && !scaffold.data.empty()) {
      scaffold.data = known_word("--data", scaffold.data, formats_for(scaffold.model));
    }
  }
  if (!scaffold.path.empty() && is_drawn(scaffold.data)) {
    throw InputError(fmt::format("--path {}: {} are generated by the program; leave it out",
                                 scaffold.path, scaffold.data));
  }
  if (!scaffold.cluster.empty() && scaffold.cluster != kHere) {
    const HostsAsked hosts = asked_hosts(scaffold.cluster);
    const std::string name = known_word("--cluster", hosts.name, host_words());
    if (name == kHere || (name == kOwnHost && hosts.count == 1)) scaffold.cluster = kHere;
  }
  if (counted) check_counted(scaffold);
  if (!scaffold.question.empty()) {
    scaffold.question = known_word("--question", scaffold.question, question_words(scaffold.model));
  }
  return scaffold;
}

Scaffold completed_scaffold(Scaffold scaffold) {
  if (scaffold.model.empty()) scaffold.model = model_for(scaffold.data);
  scaffold = check_scaffold(scaffold);
  const bool counted = is_counted(scaffold.model);
  if (counted && scaffold.cluster.empty()) {
    throw InputError(
        fmt::format("--model {} needs --cluster: hosts with devices, such as "
                    "--cluster '{}' (foretrain describe hardware)",
                    scaffold.model, kDeviceCluster));
  }
  if (scaffold.question.empty()) scaffold.question = question_words(scaffold.model).front();
  if (counted) return scaffold;
  if (scaffold.data.empty()) scaffold.data = formats_for(scaffold.model).front();
  if (scaffold.path.empty() && !is_drawn(scaffold.data)) scaffold.path = "data/" + scaffold.data;
  if (scaffold.cluster.empty()) scaffold.cluster = kHere;
  return check_scaffold(scaffold);
}

std::vector<NextCommand> next_commands(const Scaffold& scaffold, const std::string& file) {
  const bool here = scaffold.cluster == kHere;
  std::vector<NextCommand> next{{"foretrain check " + file, "print it with all defaults"}};
  if (scaffold.question == "budget") {
    const bool counted = is_counted(scaffold.model);
    next.push_back({fmt::format("foretrain whatif {} --deadline {}", file,
                                counted ? "72h --budget 20000" : "1h --budget 20"),
                    fmt::format("the cheapest hosts that do it within {}",
                                counted ? "3 days and for 20,000" : "an hour and for 20")});
    return next;
  }
  if (scaffold.question == "bottleneck") {
    next.push_back({"foretrain whatif " + file, "what limits it and what helps"});
  } else {
    next.push_back({"foretrain simulate " + file, "a forecast of each case"});
  }
  if (here) {
    next.push_back({"foretrain validate " + file, "run it for real, too, and compare"});
  }
  return next;
}

std::string scaffold_yaml(const Scaffold& scaffold, const std::string& file) {
  if (is_counted(scaffold.model)) {
    Scaffold counted = scaffold;
    if (is_config(counted.model) && std::filesystem::path(file).has_parent_path()) {
      counted.model = std::filesystem::absolute(counted.model).string();
    }
    return counted_yaml(counted, scaffold_header(scaffold, file));
  }
  const ScaffoldPlace place = draft_place(scaffold.cluster);
  return scaffold_header(scaffold, file) +
         fmt::format("model: {:<25}# or {}, ...; for your own: foretrain import\n", scaffold.model,
                     scaffold.model == "lenet" ? "softmax" : "lenet") +
         scaffold_data(scaffold, place) + scaffold_training(scaffold, place) +
         draft_cluster(place, is_ring(scaffold, place), learns(scaffold, place)) +
         scaffold_sweep(scaffold, place);
}

}  // namespace foretrain
