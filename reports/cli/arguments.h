// What several commands are told on the command line.
#pragma once

#include "reports/cli/commands.h"

#include <string>
#include <vector>

// CLI11 takes long to compile, so only sources include it.
namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace foretrain {

/// How help calls the scenario that a command is about; completion knows it by that.
inline constexpr const char* kScenarioWord = "scenario";
inline constexpr const char* kJson = "print one JSON object on standard output";
inline constexpr const char* kQuiet = "print only the result and errors";
inline constexpr const char* kReplaceFile = "replace the file if it exists";

/// A scenario, with what is laid over it.
struct AskedScenario {
  std::string scenario{};  ///< a file, or a name of the library; empty: none
  std::vector<std::string> overrides{};
  std::string seed{};  ///< empty: as the scenario says
};
// Each of these declares options of `command`; parsing then fills what has to live as long.
void add_scenario(CLI::App& command, AskedScenario& asked, bool required = true);
/// `force`: what --force does; null: there is no --force, nor --full.
void add_output(CLI::App& command, Output& output, const char* default_folder,
                const char* force = nullptr);
void add_full(CLI::App& command, Output& output);

/// Trainings of a scenario that are run, or forecast; how they are answered for.
struct AskedTraining : AskedScenario, Output {
  std::string rows = "all";  ///< or `summary`
  std::string machine{};     ///< what hosts cost that do not say it; empty: as this machine does
  bool emulate = false;      ///< this machine has a network for each host
};

/// How the nodes of a run are started.
struct Launch {
  int port = 0;
  std::string job_key{};
  double max_delay_ms = 0;
};
void add_launch(CLI::App& command, Launch& launch);
/// The secret of tasks that another launcher starts.
CLI::Option* add_job_key(CLI::App& command, std::string& file);
/// Says why a command does not take --tls: its forecast knows no encryption, a comparison would
/// blame it for that.
void refuse_tls(CLI::App& command);

/// The scenario's settings, as read_scenario takes them.
std::vector<std::string> overrides_of(const AskedScenario& asked);

/// The cases of the scenario. @throws InputError
std::vector<Case> read_cases(const AskedScenario& asked);
/// The same, of cases that can be forecast.
std::vector<Case> read_forecastable(const AskedScenario& asked);

/// The same for a simulation, which reads the file of --machine whoever asks for it: a name that is
/// wrong is told. Where no case `stands_on` it, emulated or not, a note says so.
/// @throws InputError
std::vector<Case> read_simulated(const AskedTraining& asked,
                                 bool (*stands_on)(const Scenario& scenario, bool emulated));

/// The record in `folder`, whose scenario stays as it was trained. @throws InputError also where
/// the command line would change it; it lists the options that may stand beside a record
Record read_recorded(const AskedScenario& asked, const std::string& folder, const char* options);

/// @throws InputError that says `what` is of one training, where there are several
void check_one(const std::vector<Case>& cases, const std::string& what);

/// `setting`: of this command alone, which changes its figures; empty: there is none.
Answer answer_of(const AskedTraining& asked, const std::string& command,
                 const std::string& setting = {});

}  // namespace foretrain
