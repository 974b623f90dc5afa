// Options of the commands that main.cpp implements itself.
#pragma once

#include "reports/cli/arguments.h"

#include <optional>
#include <string>
#include <vector>

namespace foretrain {

struct RunArguments : AskedTraining, Launch {
  std::vector<std::string> slots;  ///< hosts for nodes, HOST or HOST:N each; empty: this machine
  std::string ssh = "ssh";         ///< with `slots`: command to reach them
  std::string own_address;         ///< with `slots`: address of this machine; empty: by the route
  bool tls = false;  ///< encrypt; without files, certificates are made from the job key
  std::string tls_certificate;
  std::string tls_key;
  std::string tls_authority;
  std::string metrics;  ///< [ADDRESS]:PORT for Prometheus; empty: no metrics
  std::string save;     ///< file for the final weights; empty: not saved
  std::string resume;   ///< folder of the run to continue; empty: a new run
  int max_restarts = 0;
};
void run_options(CLI::App& command, RunArguments& arguments);
/// Declares --hosts, --ssh, --address: hosts on which nodes are started through ssh. Call it after
/// add_launch and after --emulate is declared.
void add_hosts(CLI::App& command, RunArguments& arguments);
/// Declares the options for encryption between nodes.
void add_tls(CLI::App& command, RunArguments& arguments);

struct SimulateArguments : AskedTraining {
  std::string replay;        ///< folder of a record to replay; empty: none
  std::optional<int> seeds;  ///< number of seeds, if given
};
void simulate_options(CLI::App& command, SimulateArguments& arguments);

struct CalibrateArguments : AskedScenario, Output {
  std::vector<std::string> from;  ///< records or CSV files to use; empty: measure this machine
  std::string model;              ///< with `from`: model of the CSV files
  std::string machine;            ///< with `from`: machine file with all other costs; empty: none
  bool cluster = false;           ///< measure the hosts of the launcher's tasks
  std::string job_key;
};
void calibrate_options(CLI::App& command, CalibrateArguments& arguments);

struct ServeArguments {
  std::string scenario;  ///< file with which the page begins; empty: the library's scenarios
  std::string machine;   ///< machine file; empty: this machine's calibration
  std::string out;       ///< folder of records and runs; empty: `out`
  std::string address = "127.0.0.1";
  int port = 8080;
};
void serve_options(CLI::App& command, ServeArguments& arguments);

}  // namespace foretrain
