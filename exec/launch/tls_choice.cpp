#include "exec/launch/tls_choice.h"

#include "exec/launch/key_file.h"
#include "scenarios/language/input_error.h"

#include <fmt/format.h>

#include <utility>

namespace foretrain::exec {
namespace {

// An option of the command line with its environment variable.
struct NamedFile {
  const char* option;
  const char* variable;
  std::string TlsFiles::*place;
};
constexpr NamedFile kTlsFiles[] = {
    {"--tls-certificate", "FORETRAIN_TLS_CERTIFICATE", &TlsFiles::certificate},
    {"--tls-key", "FORETRAIN_TLS_KEY", &TlsFiles::key},
    {"--tls-authority", "FORETRAIN_TLS_AUTHORITY", &TlsFiles::authority}};

}  // namespace

TlsChoice read_tls(TlsChoice named, const Environment& environment) {
  const std::string on = environment("FORETRAIN_TLS").value_or("off");
  if (on != "on" && on != "off") {
    throw InputError(fmt::format("FORETRAIN_TLS: {}: write on or off, the same in every task", on));
  }
  named.on = named.on || on == "on";
  for (const NamedFile& each : kTlsFiles) {
    std::string& path = named.files.*each.place;
    if (path.empty() && named.on) path = environment(each.variable).value_or("");
  }
  return named;
}

std::shared_ptr<const Tls> make_tls(const TlsChoice& choice, const JobKey& key) {
  if (!choice.on && choice.files.given()) {
    throw InputError(
        "--tls-certificate, --tls-key, --tls-authority: are not used without --tls; give it, too");
  }
  if (!choice.on) return nullptr;
  if (choice.files.given()) return Tls::of_files(choice.files);
  if (!key.empty()) return Tls::of_key(key);
  throw InputError(fmt::format(
      "--tls: certificates are made from the job key, and there is none; {}", kMakeKey));
}

std::vector<std::string> tls_arguments(const TlsChoice& choice) {
  if (!choice.on) return {};
  std::vector<std::string> arguments{"--tls", "on"};
  for (const NamedFile& each : kTlsFiles) {
    const std::string& path = choice.files.*each.place;
    if (!path.empty()) arguments.insert(arguments.end(), {each.option, path});
  }
  return arguments;
}

TlsChoice tls_of_arguments(const Environment& argument) {
  TlsChoice choice;
  choice.on = argument("--tls").has_value();
  for (const NamedFile& each : kTlsFiles) {
    choice.files.*each.place = argument(each.option).value_or("");
  }
  return choice;
}

}  // namespace foretrain::exec
