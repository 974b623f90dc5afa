// A table of the library's hosts with their hardware.
#include "reports/show/terminal/tables.h"

#include <catch2/catch.hpp>

namespace foretrain {
namespace {

TEST_CASE("hardware table: a host with devices, a host without") {
  HostSpec station;
  station.name = "station";
  station.cores = 40;
  station.nic = {50e9};
  station.flow_rate = {1.25e9};
  station.devices = 8;
  station.device.gflops = 15'700;
  station.device_link.rate = {15.75e9};
  station.device_link.shared = true;
  station.price = {24.484, "USD"};
  HostSpec plain;
  plain.name = "plain";
  plain.cores = 2;
  plain.roofline.gflops = 70.4;
  const std::string table = hardware_table({station, plain});
  CHECK(table.substr(table.find("\n\n") + 2) ==
        "host            cores devices    GFLOPS         link       NIC      flow   price\n"
        "station            40       8    15,700 15.75 GB/s *  400 Gbps   10 Gbps   24.48\n"
        "plain               2       -        70            -   10 Gbps         -       -\n");
  CHECK(table.find("price: per hour in USD; of") != std::string::npos);
  HostSpec kept = station;
  kept.bought = true;
  CHECK(hardware_table({kept}).find(" 24.48 +\n") != std::string::npos);
  HostSpec other = station;
  other.price.currency = "EUR";
  CHECK(hardware_table({station, other}).find("price: per hour; of") != std::string::npos);
}

TEST_CASE("hardware table: hosts with a device, its memory, its precisions") {
  HostSpec station;
  station.name = "station";
  station.devices = 8;
  station.device_name = "H100";
  station.device.memory = {Bytes{80LL << 30}};
  station.device.precisions = {{.name = "fp32", .gflops = 1}, {.name = "bf16", .gflops = 2}};
  HostSpec other = station;
  other.name = "other";
  HostSpec less = station;
  less.name = "less";
  less.device.memory = {Bytes{40LL << 30}};
  const std::string table = hardware_table({station, other, less});
  CHECK(
      table.ends_with("networks by name:\nH100 of 40 GiB in fp32, bf16: less\n"
                      "H100 of 80 GiB in fp32, bf16: station, other\n"));
  station.device.precisions.clear();
  CHECK(hardware_table({station}).find("H100") == std::string::npos);
}

TEST_CASE("hardware table: networks that a device was measured with, by their batch sizes") {
  HostSpec station;
  station.name = "station";
  station.devices = 8;
  station.measured = {{"vgg16", 64, 154}, {"resnet50", 64, 219}, {"resnet50", 32, 195}};
  HostSpec plain;
  plain.name = "plain";
  const std::string table = hardware_table({station, plain});
  CHECK(table.ends_with("\n\nstation         resnet50 at 32, 64; vgg16 at 64\n"));
  CHECK(table.find("model.profile_network: NAME") != std::string::npos);
  CHECK(hardware_table({plain}).find("profile_network") == std::string::npos);
}

}  // namespace
}  // namespace foretrain
