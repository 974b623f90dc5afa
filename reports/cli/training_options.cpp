// The words on the command line about how nodes of a training for real are started.
#include "reports/cli/command_options.h"

#include <CLI/CLI.hpp>

#include <string>

namespace foretrain {

CLI::Option* add_job_key(CLI::App& command, Arguments& arguments) {
  return command
      .add_option("--job-key", arguments.job_key, "file with the secret of all tasks (srun)")
      ->type_name("FILE");
}

void add_training(CLI::App& command, Arguments& arguments) {
  command
      .add_option("--port", arguments.port,
                  "launcher's port on loopback; server (or worker) s takes the port 1 + s above it")
      ->check(CLI::Range(0, 65000));
  add_job_key(command, arguments);
  command
      .add_option("--inject-delay-ms", arguments.max_delay_ms,
                  "sleep for a random while, up to this, before every input and send of a node")
      ->group("Testing");
  command.add_flag("--emulate", arguments.emulate, "a network for each host (root)");
}

void add_tls(CLI::App& command, Arguments& arguments) {
  command.add_flag("--tls", arguments.tls,
                   "encrypt all that goes between nodes: TLS 1.3, by the job key, or by files");
  const auto file = [&](const char* name, std::string& path, const char* what) {
    command.add_option(name, path, what)->type_name("FILE");
  };
  file("--tls-certificate", arguments.tls_certificate, "with --tls: this task's own, as PEM");
  file("--tls-key", arguments.tls_key, "its key");
  file("--tls-authority", arguments.tls_authority, "those whose certificates are taken");
}

void add_hosts(CLI::App& command, Arguments& arguments) {
  auto* hosts =
      command
          .add_option("--hosts", arguments.slots,
                      "train on these, started through ssh: HOST, or HOST:N for N nodes, commas "
                      "between, workers first. This program has to be on each by the same path, "
                      "data, too, and here; the scenario is sent, the record written here")
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
      .add_option(
          "--address", arguments.own_address,
          "with --hosts: at which they reach this machine (default: by which it goes there)")
      ->type_name("ADDRESS")
      ->needs(hosts);
}

void refuse_tls(CLI::App& command) {
  command
      .add_flag_callback(
          "--tls",
          [] {
            throw CLI::ValidationError(
                "--tls", "a forecast counts no encryption, so a run with it is compared with none");
          })
      ->group("");
}

}  // namespace foretrain
