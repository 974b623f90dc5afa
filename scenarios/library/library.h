// The scenarios, hosts, networks that come with the program.
#pragma once

#include "scenarios/language/value.h"
#include "scenarios/spec/cluster.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// The folder of the scenario library, the first of these that is there: what the environment
/// variable FORETRAIN_LIBRARY names, share/foretrain/scenarios of the prefix of the program (as
/// `cmake --install` puts it), the folder of the sources that the program was built from.
/// @throws InputError where none is there, or FORETRAIN_LIBRARY names none
std::filesystem::path library_folder();

/// The file that `path` means, the first of these that is there: the file of that path; where it
/// begins with `scenarios/`, that file of the library; where it is a name, `quickstart` or
/// `studies/slow_worker`, the library's file of that name with the ending .yaml. Else `path`, for
/// whoever reads it to say what is wrong.
/// @throws InputError where FORETRAIN_LIBRARY names no folder; of `scenarios/` as library_folder
std::string in_library(const std::string& path);

/// The names of all YAML files that the library has, in order; none where there is no library.
/// @throws InputError where FORETRAIN_LIBRARY names no folder
std::vector<std::string> library_files();

/// A scenario of the library.
struct Example {
  std::string name;      ///< as commands take it: `quickstart`, `studies/slow_worker`
  std::string question;  ///< what it is meant to answer; empty: it does not say
};

/// All that the library has, those of its top folder first, then folder by folder. Machine files,
/// hosts of hardware/ are none. @throws InputError where there is no library, a file is no YAML
std::vector<Example> library_examples();

/// What is wrong with `path`, of which there is neither a file nor a scenario of the library; with
/// the name that was probably meant.
std::string no_such_scenario(const std::string& path);

/// What the library has in `folder`: its YAML files without their endings, in order.
/// @throws InputError where there is no library
std::vector<std::string> library_names(std::string_view folder);

/// What the library has in `folder` that `item`, a mapping with the key `like`, begins as; its
/// marks name its own file. Its `name` is the one that was asked for; where the item has a `count`,
/// parted from the numbers that follow: dgx-1 -> dgx-1-0, dgx-1-1. `path`: of the item, for
/// messages.
/// @throws InputError where there is no such file, or it has no keys
Value load_like(std::string_view folder, const Value& item, const std::string& path);

/// Each as `like: NAME` alone makes it, called NAME, in the order of names; with the rows of all
/// networks that it was measured with, of which a case keeps those that count (check.h).
/// @throws InputError where there is no library, or a file of it is wrong
std::vector<HostSpec> library_hosts();

/// The first of `hosts` whose HostSpec::device_name stands, in letters of any size, among the words
/// that a driver calls its device by: V100 in `Tesla V100-SXM2-32GB`, not in `Tesla V100S-PCIE`.
/// Null: none has such a device.
const HostSpec* host_with_device(const std::vector<HostSpec>& hosts, std::string_view called);

}  // namespace foretrain
