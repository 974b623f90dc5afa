// A table of hosts with their hardware.
#include "reports/record/wrapped_text.h"
#include "reports/show/terminal/tables.h"
#include "scenarios/language/units.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string_view>

namespace foretrain {
namespace {

constexpr auto kHostWidths = std::to_array<std::size_t>({15, 6, 8, 10, 13, 10, 10, 8});
using HostFields = std::array<std::string, kHostWidths.size()>;

std::string host_line(const HostFields& fields) {
  std::string line = left(fields[0], kHostWidths[0]);
  for (std::size_t i = 1; i < fields.size(); ++i) line += right(fields[i], kHostWidths[i]);
  return line + "\n";
}

/// Rate of a link in bytes, as is usual for links; ports are given in bits.
std::string link_text(const DeviceLinkSpec& link) {
  if (link.rate.value == 0) return "-";
  return fmt::format("{:.4g} GB/s{}", link.rate.value / 1e9, link.shared ? " *" : "");
}

HostFields fields_of_host(const HostSpec& host) {
  const Roofline& computes = host.devices > 0 ? host.device : host.roofline;
  return {host.name,
          fmt::format("{}", host.cores),
          host.devices == 0 ? "-" : fmt::format("{}", host.devices),
          computes.described() ? grouped(std::llround(computes.gflops)) : "-",
          link_text(host.device_link),
          to_text(host.nic),
          host.flow_rate.value > 0 ? to_text(host.flow_rate) : "-",
          host.price.per_hour > 0
              ? fmt::format("{:.2f}{}", host.price.per_hour, host.bought ? " +" : "")
              : "-"};
}

/// ` in USD` if all prices have the same currency; else empty.
std::string in_one_currency(const std::vector<HostSpec>& hosts) {
  std::set<std::string> currencies;
  for (const HostSpec& host : hosts) {
    if (host.price.per_hour > 0) currencies.insert(host.price.currency);
  }
  const bool one = currencies.size() == 1 && !currencies.begin()->empty();
  return one ? " in " + *currencies.begin() : std::string();
}

/// `bert_base at 32, 48; resnet50 at 128`
std::string networks_text(const HostSpec& host) {
  std::map<std::string, std::set<int>> batches;
  for (const MeasuredNetwork& row : host.measured) batches[row.network].insert(row.batch_size);
  std::vector<std::string> parts;
  parts.reserve(batches.size());
  for (const auto& [network, sizes] : batches) {
    parts.push_back(fmt::format("{} at {}", network, fmt::join(sizes, ", ")));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

/// `H100 of 80 GiB in fp32, bf16: dgx-h100, p5.48xlarge`, a line for each kind of device.
std::string device_lines(const std::vector<HostSpec>& hosts) {
  std::map<std::string, std::vector<std::string>> hosts_with;
  for (const HostSpec& host : hosts) {
    std::vector<std::string> precisions;
    for (const PrecisionSpec& each : host.device.precisions) precisions.push_back(each.name);
    if (precisions.empty()) continue;
    hosts_with[fmt::format("{} of {} in {}", host.device_name, to_text(host.device.memory),
                           fmt::join(precisions, ", "))]
        .push_back(host.name);
  }
  std::string lines;
  for (const auto& [device, names] : hosts_with) {
    lines += fmt::format("{}: {}\n", device, fmt::join(names, ", "));
  }
  if (lines.empty()) return lines;
  return "\n" + wrap("Devices, their memory, their precisions for networks by name:") +
         hang(lines, 2);
}

/// The measured networks of each device; empty if there are none.
std::string measured_lines(const std::vector<HostSpec>& hosts) {
  std::string lines;
  for (const HostSpec& host : hosts) {
    if (host.measured.empty()) continue;
    lines += left(host.name, kHostWidths[0]) + " " + networks_text(host) + "\n";
  }
  if (lines.empty()) return lines;
  return "\n" +
         wrap(
             "For these networks and batch sizes the training rate of one device was measured. A "
             "profile with model.profile_network: NAME uses it instead of the data sheet.") +
         "\n" + hang(lines, kHostWidths[0] + 1);
}

}  // namespace

std::string hardware_table(const std::vector<HostSpec>& hosts) {
  std::string text = wrap(fmt::format(
      "Hosts for scenarios, as in hosts: [{{like: dgx-1, count: 4}}]. GFLOPS are from data sheets, "
      "of a device (of a core if there is none); trainings reach 30 to 50 % of them. link: of each "
      "device, or one for all (*). flow: rate of one connection. price: per hour{}; of a bought "
      "host (+) its purchase price divided by its hours of use.",
      in_one_currency(hosts)));
  text += "\n" + host_line({"host", "cores", "devices", "GFLOPS", "link", "NIC", "flow", "price"});
  for (const HostSpec& host : hosts) text += host_line(fields_of_host(host));
  return text + device_lines(hosts) + measured_lines(hosts);
}

}  // namespace foretrain
