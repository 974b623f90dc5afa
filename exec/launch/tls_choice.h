// Whether the processes of a run encrypt what they say to each other.
#pragma once

#include "exec/launch/task.h"
#include "exec/transport/tls.h"

#include <memory>
#include <string>
#include <vector>

namespace foretrain::exec {

/// What the user said.
struct TlsChoice {
  bool on = false;
  TlsFiles files{};  ///< not given: certificates are made from the job key
};

/// For a task: what was not named is as FORETRAIN_TLS (`on`, `off`), FORETRAIN_TLS_CERTIFICATE,
/// FORETRAIN_TLS_KEY, FORETRAIN_TLS_AUTHORITY say. @throws InputError (neither `on` nor `off`)
TlsChoice read_tls(TlsChoice named, const Environment& environment);

/// Null where it is off. @throws InputError (as Tls::of_files; files that nobody uses; no job key
/// to make certificates from)
std::shared_ptr<const Tls> make_tls(const TlsChoice& choice, const JobKey& key);

/// How a launcher tells a node that it starts, as options with their values; how that reads it.
std::vector<std::string> tls_arguments(const TlsChoice& choice);
TlsChoice tls_of_arguments(const Environment& argument);

}  // namespace foretrain::exec
