// The words of the commands that main.cpp carries out alone.
#pragma once

#include "reports/cli/arguments.h"

#include <optional>
#include <string>
#include <vector>

namespace foretrain {

struct RunArguments : AskedTraining, Launch {
  std::vector<std::string> slots;  ///< hosts of nodes, HOST or HOST:N each; empty: this machine
  std::string ssh = "ssh";         ///< with them: how they are reached
  std::string own_address;         ///< with them: of this machine; empty: found
  bool tls = false;  ///< encrypted; files empty: certificates are made from the job key
  std::string tls_certificate;
  std::string tls_key;
  std::string tls_authority;
  std::string metrics;  ///< where Prometheus scrapes; empty: nowhere
  std::string save;     ///< file of the final weights; empty: none
  std::string resume;   ///< folder of the run that it goes on from; empty: none
  int max_restarts = 0;
};
void run_options(CLI::App& command, RunArguments& arguments);
/// Hosts on which nodes are started through ssh; behind add_launch.
void add_hosts(CLI::App& command, RunArguments& arguments);
/// Encryption between nodes.
void add_tls(CLI::App& command, RunArguments& arguments);

struct SimulateArguments : AskedTraining {
  std::string replay;        ///< folder of a run; empty: none
  std::optional<int> seeds;  ///< how many
};
void simulate_options(CLI::App& command, SimulateArguments& arguments);

struct CalibrateArguments : AskedScenario, Output {
  std::vector<std::string> from;  ///< what is measured already; empty: nothing
  std::string model;              ///< with it: what a table is of
  std::string machine;            ///< with it: the file that has the rest; empty: none
  bool cluster = false;           ///< the hosts of the launcher's tasks
  std::string job_key;
};
void calibrate_options(CLI::App& command, CalibrateArguments& arguments);

struct ServeArguments {
  std::string scenario;  ///< that the page begins with; empty: the library's
  std::string machine;   ///< empty: this one's calibration
  std::string out;       ///< empty: `out`
  std::string address = "127.0.0.1";
  int port = 8080;
};
void serve_options(CLI::App& command, ServeArguments& arguments);

}  // namespace foretrain
