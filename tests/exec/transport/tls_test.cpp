// The files that admit a process to its run.
#include "exec/transport/tls.h"

#include "scenarios/language/input_error.h"
#include "tests/support/certificates.h"
#include "tests/support/temp_folder.h"

#include <catch2/catch.hpp>

#include <fstream>
#include <string>

namespace foretrain::exec {
namespace {

std::string what_files_lack(const TlsFiles& files) {
  try {
    Tls::of_files(files);
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing";
}

TEST_CASE("tls: files that fit each other are taken") {
  const TempFolder folder;
  const testing::Authority authority(folder / "authority.pem");
  CHECK(what_files_lack(authority.issue(folder / "node")) == "nothing");
}

TEST_CASE("tls: a file that is missing or no PEM is named with its option") {
  const TempFolder folder;
  const testing::Authority authority(folder / "authority.pem");
  const TlsFiles good = authority.issue(folder / "node");
  const std::string noise = folder / "noise";
  std::ofstream(noise) << "no PEM\n";
  const auto with = [&](std::string TlsFiles::*place, const std::string& path) {
    TlsFiles files = good;
    files.*place = path;
    return what_files_lack(files);
  };
  CHECK(with(&TlsFiles::certificate, "") ==
        "--tls-certificate is missing: all of --tls-certificate, --tls-key, --tls-authority are "
        "needed, or none");
  CHECK(with(&TlsFiles::key, "/no/such.key") == "--tls-key /no/such.key: cannot be read");
  CHECK_THAT(with(&TlsFiles::certificate, noise),
             Catch::StartsWith("--tls-certificate " + noise + ": is no certificate in PEM ("));
  CHECK_THAT(with(&TlsFiles::key, noise),
             Catch::StartsWith("--tls-key " + noise + ": is no key in PEM without a passphrase ("));
  CHECK_THAT(with(&TlsFiles::authority, noise),
             Catch::StartsWith("--tls-authority " + noise + ": has no certificate in PEM ("));
}

TEST_CASE("tls: another's key, an end in the past, another authority are told at home") {
  const TempFolder folder;
  const testing::Authority authority(folder / "authority.pem");
  const testing::Authority other(folder / "other.pem");
  TlsFiles files = authority.issue(folder / "node");
  const TlsFiles theirs = authority.issue(folder / "theirs");
  CHECK(what_files_lack({files.certificate, theirs.key, files.authority}) ==
        "--tls-key " + theirs.key + ": is not the key of " + files.certificate);
  const TlsFiles old = authority.issue(folder / "old", -1);
  CHECK(what_files_lack(old) ==
        "--tls-certificate " + old.certificate +
            ": other tasks would not accept it: certificate has expired (authority: " +
            authority.path() + ")");
  files.authority = other.path();
  CHECK_THAT(what_files_lack(files),
             Catch::StartsWith(
                 "--tls-certificate " + files.certificate +
                 ": other tasks would not accept it: unable to get local issuer certificate"));
}

}  // namespace
}  // namespace foretrain::exec
