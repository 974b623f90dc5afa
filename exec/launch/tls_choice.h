// The choice of encryption between the processes of a run.
#pragma once

#include "exec/launch/task.h"
#include "exec/transport/tls.h"

#include <memory>
#include <string>
#include <vector>

namespace foretrain::exec {

/// The user's options.
struct TlsChoice {
  bool on = false;
  TlsFiles files{};  ///< if not given, certificates are made from the job key
};

/// For a task: options that were not named come from FORETRAIN_TLS (`on`, `off`),
/// FORETRAIN_TLS_CERTIFICATE, FORETRAIN_TLS_KEY, FORETRAIN_TLS_AUTHORITY.
/// @throws InputError (neither `on` nor `off`)
TlsChoice read_tls(TlsChoice named, const Environment& environment);

/// Null if encryption is off. @throws InputError (as Tls::of_files; files without encryption; no
/// job key to make certificates from)
std::shared_ptr<const Tls> make_tls(const TlsChoice& choice, const JobKey& key);

/// The choice as options with values, by which a launcher passes it to a node that it starts.
std::vector<std::string> tls_arguments(const TlsChoice& choice);
TlsChoice tls_of_arguments(const Environment& argument);

}  // namespace foretrain::exec
