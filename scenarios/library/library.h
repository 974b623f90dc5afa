// The library: scenarios, hosts, networks that come with the program.
#pragma once

#include "scenarios/language/value.h"
#include "scenarios/spec/cluster.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// Returns the folder of the scenario library: the first that exists of the folder in the
/// environment variable FORETRAIN_LIBRARY, share/foretrain/scenarios under the program's prefix
/// (installed there by `cmake --install`), the source folder that the program was built from.
/// @throws InputError if none exists, or if FORETRAIN_LIBRARY does not name a folder
std::filesystem::path library_folder();

/// Returns the file that `path` means: the file with this path; the library's file, if `path`
/// begins with `scenarios/`; the library's file with the ending .yaml, if `path` is a name such as
/// `quickstart` or `studies/slow_worker`. The first that exists counts. Returns `path` itself if
/// none exists; the reader then reports the error.
/// @throws InputError if FORETRAIN_LIBRARY does not name a folder; for `scenarios/` as
/// library_folder
std::string in_library(const std::string& path);

/// The names of all YAML files in the library, sorted; empty if there is no library.
/// @throws InputError if FORETRAIN_LIBRARY does not name a folder
std::vector<std::string> library_files();

/// A scenario of the library.
struct Example {
  std::string name;      ///< as commands take it: `quickstart`, `studies/slow_worker`
  std::string question;  ///< question that it answers; empty if it has none
};

/// All scenarios of the library, those of its top folder first. Machine files and hosts of
/// hardware/ are not scenarios. @throws InputError if there is no library, or if a file is not
/// valid YAML
std::vector<Example> library_examples();

/// The message for a `path` that is neither a file nor a scenario of the library; it suggests the
/// most similar name.
std::string no_such_scenario(const std::string& path);

/// The names of the library's YAML files in `folder`, without their endings, sorted.
/// @throws InputError if there is no library
std::vector<std::string> library_names(std::string_view folder);

/// Loads the library's file in `folder` that the mapping `item` names, in any case, by its key
/// `like`; the marks of the result refer to that file. The `name` of a host becomes the file's; if
/// the item has a `count` and the name ends in a digit, a dash is added: dgx-1 -> dgx-1-0, dgx-1-1.
/// `path` is the item's path for messages.
/// @throws InputError if the file does not exist or is not a mapping
Value load_preset(std::string_view folder, const Value& item, const std::string& path);

/// The hosts of the library, sorted by name, each as `like: NAME` alone makes it. They have the
/// measured rows of all networks; a case keeps only the rows that count (check_case.h).
/// @throws InputError if there is no library, or if a file in it is invalid
std::vector<HostSpec> library_hosts();

/// The first of `hosts` whose HostSpec::device_name is a whole word, in any case, of the driver's
/// device name `called`: V100 matches `Tesla V100-SXM2-32GB`, not `Tesla V100S-PCIE`. Null if no
/// host has such a device.
const HostSpec* host_with_device(const std::vector<HostSpec>& hosts, std::string_view called);

}  // namespace foretrain
