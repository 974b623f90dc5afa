// Command-line options that several commands share.
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

/// Name of a command's scenario argument in help; completion recognizes the argument by it.
inline constexpr const char* kScenarioWord = "scenario";
inline constexpr const char* kJson = "print one JSON object on standard output";
inline constexpr const char* kMachine = "a machine file (default: this machine's calibration)";
inline constexpr const char* kQuiet = "print only the result and errors";
inline constexpr const char* kReplaceFile = "replace the file if it exists";

/// A scenario with the settings that override its own.
struct AskedScenario {
  std::string scenario{};  ///< a file, or a name from the library; empty if none is given
  std::vector<std::string> overrides{};
  std::string seed{};  ///< empty: the scenario's seed
};
// Each add_ function declares options of `command`. Parsing writes their values to the second
// argument, which has to outlive `command`.
void add_scenario(CLI::App& command, AskedScenario& asked, bool required = true);
/// `force`: help text of --force; if null, neither --force nor --full is declared.
void add_output(CLI::App& command, Output& output, const char* default_folder,
                const char* force = nullptr);
void add_full(CLI::App& command, Output& output);

/// Arguments of a command that runs or simulates the trainings of a scenario.
struct AskedTraining : AskedScenario, Output {
  std::string rows = "all";  ///< rows of the record: `all` or `summary`
  std::string machine{};     ///< machine file for hosts that name none; empty: this machine's
                             ///< calibration
  bool emulate = false;      ///< hosts are emulated: each is a network of this machine
  bool whole = false;        ///< hosts that are alike are all simulated, not one of them
};

/// How the nodes of a run are started.
struct Launch {
  int port = 0;
  std::string job_key{};  ///< path of the file
  double max_delay_ms = 0;
};
void add_launch(CLI::App& command, Launch& launch);
/// Declares --job-key: a file with the secret of tasks that another launcher starts.
CLI::Option* add_job_key(CLI::App& command, std::string& file);
/// Declares a hidden --tls that is always an error: forecasts do not model encryption, so a
/// comparison with encrypted runs would count its cost as a forecast error.
void refuse_tls(CLI::App& command);

/// The settings of --set and --seed, as read_scenario expects them.
std::vector<std::string> overrides_of(const AskedScenario& asked);

/// The cases of the scenario. @throws InputError
std::vector<Case> read_cases(const AskedScenario& asked);
/// As read_cases, but also checks that all cases can be forecast. @throws InputError
std::vector<Case> read_forecastable(const AskedScenario& asked);

/// As read_forecastable, for simulations. Reads the file of --machine even if no case uses it, so
/// that a wrong name is reported. `stands_on`: whether a scenario uses it; if none does, a note
/// says so. @throws InputError
std::vector<Case> read_simulated(const AskedTraining& asked,
                                 bool (*stands_on)(const Scenario& scenario, bool emulated));

/// Reads the record in `folder`. @throws InputError also if --set or --seed would change its
/// scenario; the message lists `options`, the ones that are allowed with a record
Record read_recorded(const AskedScenario& asked, const std::string& folder, const char* options);

/// @throws InputError if there are several cases. `what`: beginning of the message
void check_one(const std::vector<Case>& cases, const std::string& what);

/// The output of `command`; the settings determine its default folder. `setting`: an option of this
/// command alone that changes its figures; empty if there is none.
Answer answer_of(const AskedTraining& asked, const std::string& command,
                 const std::string& setting = {});

}  // namespace foretrain
