// What there is to ask about: the library's scenarios, its hosts, the strategies.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace foretrain::serve {

/// `first`: the file that the page begins with: the one that is named here, else the library's
/// quickstart. `scenarios`: file, as commands name it, question, text; one that is not of the
/// library before those that are. `hosts`: what `cluster.hosts` can be `like`. `strategies`: what
/// of them concerns controls. @throws InputError where there is no library, or no such file
nlohmann::ordered_json shelf_json(const std::string& first);

}  // namespace foretrain::serve
