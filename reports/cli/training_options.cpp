// Command-line options for starting the nodes of a run.
#include "reports/cli/command_options.h"

#include <CLI/CLI.hpp>

#include <string>

namespace foretrain {

CLI::Option* add_job_key(CLI::App& command, std::string& file) {
  return command.add_option("--job-key", file, "file with a secret that all tasks share (srun)")
      ->type_name("FILE");
}

void add_launch(CLI::App& command, Launch& launch) {
  command
      .add_option("--port", launch.port,
                  "port of the launcher on loopback; server (or worker) s uses this port + 1 + s")
      ->check(CLI::Range(0, 65000));
  add_job_key(command, launch.job_key);
  command
      .add_option("--inject-delay-ms", launch.max_delay_ms,
                  "random delay, up to this, before every input and send of a node")
      ->group("Testing");
}

void add_tls(CLI::App& command, RunArguments& arguments) {
  command.add_flag("--tls", arguments.tls,
                   "encrypt traffic between nodes: TLS 1.3, by the job key or certificates");
  const auto file = [&](const char* name, std::string& path, const char* what) {
    command.add_option(name, path, what)->type_name("FILE");
  };
  file("--tls-certificate", arguments.tls_certificate, "with --tls: this task's certificate (PEM)");
  file("--tls-key", arguments.tls_key, "its key");
  file("--tls-authority", arguments.tls_authority, "with --tls: authority of other certificates");
}

void add_hosts(CLI::App& command, RunArguments& arguments) {
  auto* hosts =
      command
          .add_option("--hosts", arguments.slots,
                      "train on these hosts, started through ssh: HOST, or HOST:N for N nodes, "
                      "separated by commas, workers first. Each host needs this program and the "
                      "data at the same path as here; the scenario is sent, the record is written "
                      "here")
          ->type_name("HOSTS")
          ->expected(1)
          ->take_all()
          ->delimiter(',');
  for (const char* other : {"--job-key", "--emulate"}) hosts->excludes(command.get_option(other));
  command
      .add_option("--ssh", arguments.ssh,
                  "with --hosts: ssh with options, such as 'ssh -p 2222 -l me' (default: ssh)")
      ->type_name("COMMAND")
      ->needs(hosts);
  command
      .add_option("--address", arguments.own_address,
                  "with --hosts: address at which they reach this machine (default: that of the "
                  "route to them)")
      ->type_name("ADDRESS")
      ->needs(hosts);
}

void refuse_tls(CLI::App& command) {
  command
      .add_flag_callback(
          "--tls",
          [] {
            throw CLI::ValidationError(
                "--tls", "forecasts do not include encryption, so runs are compared without it");
          })
      ->group("");
}

}  // namespace foretrain
