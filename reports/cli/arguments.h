// What the command line says.
#pragma once

#include "reports/cli/commands.h"
#include "reports/cli/validate_cases.h"
#include "scenarios/library/scaffold.h"

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace foretrain {

/// How help calls the scenario that a command is about; completion knows it by that.
inline constexpr const char* kScenarioWord = "scenario";

/// Each subcommand uses its part; reports/cli/command_options.h says what its words are.
struct Arguments {
  // The scenario.
  std::string scenario;
  std::vector<std::string> overrides;
  std::string seed;
  // What is written, where, how much of it.
  std::string out;
  std::string rows = "all";
  bool json = false;
  bool quiet = false;
  bool full = false;      ///< every table with all of its rows
  bool replaces = false;  ///< what is there already, whatever it is of
  // A run.
  int port = 0;
  std::string job_key;
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
  double max_delay_ms = 0;
  bool emulate = false;
  // A simulation.
  std::string machine;
  std::string replay;
  int seeds = 0;  ///< 0: not asked for
  // What if.
  bool crossover = false;
  std::string verify;  ///< the change that is run for real; empty: none
  int repetitions = 3;
  std::string deadline;            ///< of the inverse question; empty: not asked
  double budget = 0;               ///< with it
  std::string target;              ///< likewise: accuracy=0.97; empty: as the scenario says
  std::vector<std::string> hosts;  ///< of the library, that are tried; empty: all that fit
  int max_hosts = 8;               ///< of a cluster
  // A sweep.
  std::string mode = "simulate";
  int jobs = 0;       ///< 0: as many as there are cores, of runs one
  std::string shard;  ///< k/n; empty: all
  bool retry = false;
  bool records_kept = false;
  // A page that is served.
  std::string address = "127.0.0.1";
  int page_port = 8080;
  // The others.
  Judgement judgement;
  std::string against;  ///< of validate: the table of what was measured; empty: it is run here
  std::string ledger;   ///< of validate: where it is entered; empty: nowhere
  std::string weights;  ///< of evaluate: file of weights
  bool schema = false;
  bool graph = false;
  std::vector<std::string> records;  ///< of report
  std::string trace;                 ///< of import: a trace, or a table of layers
  int batch = 0;                     ///< of import; 0: as the trace says
  int rank = -1;                     ///< of import, in a trace of several; -1: not said
  int device = -1;                   ///< likewise
  Scaffold scaffold;                 ///< of new
  std::string parameters;            ///< of import, with `step`: of the model, 110M
  std::string step;                  ///< of import: what one took, 350 ms; empty: a trace says it
  int workers = 0;                   ///< of import, with `step`; 0: as the scenario says
  std::vector<std::string> from;     ///< of calibrate
  bool cluster = false;              ///< of calibrate: the hosts of the launcher's tasks
  std::string model;
  std::string data_command;  ///< list | verify
  std::string data_path;
  std::string form;                   ///< of describe: what is printed
  std::vector<std::string> words;     ///< of describe: what a shell asks to complete
  const CLI::App* program = nullptr;  ///< whose command line was read
};

/// Of --set and --seed, as read_scenario takes them.
std::vector<std::string> overrides_of(const Arguments& arguments);

/// The cases of the scenario. @throws InputError
std::vector<Case> read_cases(const Arguments& arguments);
/// The same, of cases that can be forecast.
std::vector<Case> read_forecastable(const Arguments& arguments);

/// The same for a simulation, which reads the file of --machine whoever asks for it: a name that is
/// wrong is told. Where no case `stands_on` it, emulated or not, a note says so.
/// @throws InputError
std::vector<Case> read_simulated(const Arguments& arguments,
                                 bool (*stands_on)(const Scenario& scenario, bool emulated));

/// The record in `folder`, whose scenario stays as it was trained. @throws InputError also where
/// the command line would change it
Record read_recorded(const Arguments& arguments, const std::string& folder);

/// @throws InputError that says `what` is of one training, where there are several
void check_one(const std::vector<Case>& cases, const std::string& what);

Answer answer_of(const Arguments& arguments, const std::string& command);

/// Where `validate --ledger` enters what was measured by this program on this machine; `date` may
/// have a time behind it. Empty: nowhere.
std::optional<LedgerPlace> ledger_place(const Arguments& arguments, const Processor& processor,
                                        const std::string& date, const std::string& commit);

}  // namespace foretrain
