// The hosts, counts, strategies that a search tries, the questions that it rejects.
#include "scenarios/library/library.h"
#include "tests/reports/studies/budget/support.h"
#include "tests/scenarios/messages.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace foretrain::testing {
namespace {

std::string hosts_error(const std::vector<std::string>& names) {
  const RentedJob job;
  std::vector<HostSpec> library{priced_host("small", 1), priced_host("free", 0),
                                priced_host("cores", 1, 0)};
  return error_of([&] { hosts_to_try(job.plain(), library, names); });
}

std::set<std::string> ways_on(const Case& base, int devices, int hosts) {
  std::set<std::string> ways;
  for (const RentedCluster& each : clusters_of(base, priced_host("h", 1, devices), hosts)) {
    ways.insert(way_of(each));
  }
  return ways;
}

TEST_CASE("budget hosts: all with a price and a device, or those that are named") {
  const RentedJob job;
  const std::vector<HostSpec> library = library_hosts();
  const std::vector<LibraryHost> all = hosts_to_try(job.plain(), library, {});
  CHECK(all.size() == library.size());
  for (const auto& [host, why_not] : all) {
    CAPTURE(host.name);
    const bool rented = host.price.per_hour > 0 && host.devices > 0 && !host.bought;
    CHECK(why_not.empty() == rented);
  }
  const std::vector<LibraryHost> named =
      hosts_to_try(job.plain(), library, {"P3.16xlarge", "dgx-1"});
  REQUIRE(named.size() == 2);
  CHECK(named[0].host.name == "p3.16xlarge");
}

TEST_CASE("budget hosts: one that is bought is tried by its name alone") {
  const RentedJob job;
  std::vector<HostSpec> library{priced_host("rented", 2), priced_host("own", 1)};
  library[1].bought = true;
  const std::vector<LibraryHost> all = hosts_to_try(job.plain(), library, {});
  REQUIRE(all.size() == 2);
  CHECK(all[0].why_not.empty());
  CHECK(all[1].why_not == "it is bought, not rented (--hosts own tries it)");
  CHECK(hosts_to_try(job.plain(), library, {"own"}).at(0).why_not.empty());
}

TEST_CASE("budget hosts: prices in two currencies are not compared") {
  const RentedJob job;
  std::vector<HostSpec> library{priced_host("here", 1), priced_host("there", 1)};
  library[0].price.currency = "USD";
  library[1].price.currency = "EUR";
  for (const std::vector<std::string>& names : {std::vector<std::string>{}, {"here", "there"}}) {
    CHECK(error_of([&] { hosts_to_try(job.plain(), library, names); }) ==
          "--hosts: the price of there is in EUR, that of here in USD; name hosts of one currency");
  }
  CHECK(hosts_to_try(job.plain(), library, {"there"}).size() == 1);
}

TEST_CASE("budget hosts: a name is refused with the reason") {
  CHECK(hosts_error({"smal"}).starts_with("--hosts: the library has no smal; did you mean small?"));
  CHECK(hosts_error({"free"}) == "--hosts: free: it has no price in the library; leave it out");
  CHECK(hosts_error({"cores"}).find("no devices, but the profile was measured on one") !=
        std::string::npos);
  CHECK(hosts_error({"small", "SMALL"}).find("twice") != std::string::npos);
}

TEST_CASE("budget: hosts are doubled up to the most") {
  CHECK(host_counts(1) == std::vector<int>{1});
  CHECK(host_counts(8) == std::vector<int>{1, 2, 4, 8});
  CHECK(host_counts(6) == std::vector<int>{1, 2, 4, 6});
}

TEST_CASE("budget: one ring, in groups of a host's devices, servers from one to one a host") {
  const RentedJob job;
  CHECK(ways_on(job.plain(), 1, 1) == std::set<std::string>{"all_reduce"});
  CHECK(ways_on(job.plain(), 1, 2) == std::set<std::string>{"all_reduce", "async, 1 server",
                                                            "async, 2 servers", "sync, 1 server",
                                                            "sync, 2 servers"});
  CHECK(ways_on(job.plain(), 8, 1).contains("all_reduce"));
  CHECK(ways_on(job.plain(), 8, 2).contains("all_reduce, groups of 8"));
  const Case packed = job.with(
      "training: {strategy: sync, workers: 2, batch_size: 10, steps: 5, compression: fp16}\n");
  CHECK(!ways_on(packed, 1, 2).contains("all_reduce"));
  // The scenario's own strategy is one of them.
  const Case own =
      job.with("training: {strategy: ssp, staleness: 3, workers: 2, batch_size: 10, steps: 5}\n");
  CHECK(ways_on(own, 1, 2).contains("ssp, 1 server"));
}

TEST_CASE("budget: the batch doubles and halves where compute grows with it") {
  const RentedJob job;
  const auto batches = [](const Case& base) {
    std::set<int> found;
    for (const auto& each : clusters_of(base, priced_host("h", 1), 2))
      found.insert(each.batch_size);
    return found;
  };
  CHECK(batches(job.plain()) == std::set<int>{5, 10, 20});
  CHECK(batches(job.with("training: {batch_size: 10, steps: 5}\n"
                         "cluster: {hosts: [{name: n, cores: 2, compute: 5 ms}]}\n")) ==
        std::set<int>{10});
}

TEST_CASE("budget: a case on a cluster has its hosts alone, the same work, the profile's batch") {
  const RentedJob job;
  const RentedCluster cluster{"h", 2, 16, "sync", 2, 1, 20};
  const Scenario on = case_on(job.plain(), priced_host("h", 1, 8), cluster, 36'000).scenario;
  CHECK(on.training.steps == 113);  // 16 x 20 per step: 112.5
  CHECK(on.training.workers == 16);
  CHECK(on.training.servers == 2);
  CHECK(on.model.profile_batch == 10);
  REQUIRE(on.cluster.hosts.size() == 1);
  CHECK(on.cluster.hosts.front().count == 2);
  // It is a valid scenario.
  CHECK(only(to_yaml(on)) == on);
}

TEST_CASE("budget: what only one cluster can have is refused with its place") {
  const RentedJob job;
  const auto error = [&](const std::string& rest) {
    return error_of(
        [&] { static_cast<void>(base_of(job.with("training: {steps: 5, workers: 2}\n" + rest))); });
  };
  CHECK(error("faults: [{at: 1 s, stop: worker1, for: 2 s}]\n").find("faults: they name nodes") !=
        std::string::npos);
  CHECK(error("stragglers: [{workers: [1], slowdown: 2}]\n").find("stragglers[0].workers: ") !=
        std::string::npos);
  CHECK(error("cluster: {hosts: [{name: n, cores: 2, mtbf: 6 h}]}\n").find("mtbf: ") !=
        std::string::npos);
  CHECK(error("stragglers: [{slowdown: 2}]\n") == "(no error)");
}

TEST_CASE("budget: a profile's device is told, else that of the scenario's hosts, else unknown") {
  const RentedJob job;
  const std::string training = "training: {steps: 5}\n";
  const std::string hosts =
      "cluster: {hosts: [{name: n, devices: 1, device: {gflops: 10, memory_bandwidth: 1 GB/s}}]}\n";
  const BudgetBase own = base_of(job.with(training + hosts));
  CHECK(own.scenario_case.scenario.model.profile_device == MeasuredDevice{10, {1e9}});
  const BudgetBase told = base_of(job.with(training + hosts, ", profile_device: {gflops: 5}"));
  CHECK(told.scenario_case.scenario.model.profile_device.gflops == 5);
  const BudgetBase unknown = base_of(job.with(training));
  const auto note = [](const BudgetBase& base) {
    BudgetAnswer answer;
    answer.base = base;
    return assumptions(answer)[1];
  };
  CHECK(note(unknown).find("are given its times unchanged") != std::string::npos);
  CHECK(note(told).find("5 GFLOPS (model.profile_device)") != std::string::npos);
  CHECK(note(own).find("(that of the scenario's hosts)") != std::string::npos);
}

TEST_CASE("budget: of what hosts were measured with those of the network are kept") {
  const RentedJob job;
  HostSpec measured = priced_host("known", 1);
  measured.measured = {{"net", 10, 100}, {"other", 10, 100}};
  const std::string training = "training: {steps: 5, batch_size: 10}\n";
  const BudgetBase named =
      base_of(job.with(training, ", profile_network: net, profile_device: {gflops: 10}"));
  const RentedCluster cluster{"known", 1, 1, "all_reduce", 0, 1, 10};
  const auto rows_on = [&](const Case& base) {
    return case_on(base, measured, cluster, 50).scenario.cluster.hosts.front().measured;
  };
  CHECK(rows_on(named.scenario_case) == std::vector<MeasuredNetwork>{{"net", 10, 100}});
  CHECK(rows_on(job.with(training)).empty());
}

TEST_CASE("budget: a host without measured rows of the network does not ask for them") {
  const RentedJob job;
  HostSpec known = priced_host("known", 1);
  known.measured = {{"resnet50", 10, 100}};
  const HostSpec unknown = priced_host("unknown", 1);
  const auto rates_on = [](const Case& base, const HostSpec& host) {
    const RentedCluster cluster{host.name, 1, 1, "all_reduce", 0, 1, 10};
    return case_on(base, host, cluster, 50).scenario.model.profile_network;
  };
  const Case profile = job.with("training: {steps: 5, batch_size: 10}\n",
                                ", profile_network: resnet50, profile_device: {gflops: 10}");
  CHECK(rates_on(profile, known) == "resnet50");
  CHECK(rates_on(profile, unknown).empty());
  // A network by name has the rows of the hosts that it is tried on, not those of its own.
  for (const std::string own : {"n1-v100", "p5.48xlarge"}) {
    const std::string text =
        "foretrain: 1\nname: x\nmodel: {network: resnet50, precision: fp32}\n"
        "training: {strategy: all_reduce, workers: 1, batch_size: 10, steps: 5}\n"
        "cluster: {hosts: [{like: " +
        own + "}]}\n";
    const Case named = parse_scenario(text, "x.yaml").front();
    CHECK(rates_on(named, known) == "resnet50");
    CHECK(rates_on(named, unknown).empty());
  }
}

}  // namespace
}  // namespace foretrain::testing
