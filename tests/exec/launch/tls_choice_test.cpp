// A user's options for encryption.
#include "exec/launch/tls_choice.h"

#include "scenarios/language/input_error.h"

#include <catch2/catch.hpp>

#include <functional>
#include <map>
#include <string>

namespace foretrain::exec {
namespace {

Environment variables_of(const std::map<std::string, std::string>& values) {
  return [values](const char* name) {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
}

std::string tls_complaint(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST_CASE("tls choice: it is off unless an option or a variable says so") {
  CHECK(!read_tls({}, variables_of({})).on);
  CHECK(!read_tls({}, variables_of({{"FORETRAIN_TLS", "off"}})).on);
  CHECK(read_tls({}, variables_of({{"FORETRAIN_TLS", "on"}})).on);
  CHECK(read_tls({.on = true}, variables_of({{"FORETRAIN_TLS", "off"}})).on);
  CHECK(tls_complaint([] {
          read_tls({}, variables_of({{"FORETRAIN_TLS", "yes"}}));
        }) == "FORETRAIN_TLS: yes: write on or off, the same in every task");
}

TEST_CASE("tls choice: a file that is named comes before its variable") {
  const auto variables = variables_of(
      {{"FORETRAIN_TLS_CERTIFICATE", "theirs.pem"}, {"FORETRAIN_TLS_KEY", "theirs.key"}});
  const TlsChoice choice = read_tls({true, {"mine.pem", "", ""}}, variables);
  CHECK(choice.files.certificate == "mine.pem");
  CHECK(choice.files.key == "theirs.key");
  CHECK(choice.files.authority.empty());
  CHECK(!read_tls({}, variables).files.given());  // TLS was not requested
}

TEST_CASE("tls choice: what cannot be is told") {
  const JobKey key("0123456789abcdef");
  CHECK(make_tls({}, key) == nullptr);
  CHECK(make_tls({.on = true}, key) != nullptr);
  CHECK_THAT(tls_complaint([&] {
               make_tls({false, {"node.pem", "", ""}}, key);
             }),
             Catch::Contains("are not used without --tls"));
  CHECK_THAT(tls_complaint([&] {
               make_tls({true, {"node.pem", "", ""}}, key);
             }),
             Catch::StartsWith("--tls-certificate node.pem: cannot be read"));
  CHECK_THAT(tls_complaint([] { make_tls({.on = true}, {}); }),
             Catch::StartsWith("--tls: certificates are made from the job key, and there is none"));
}

TEST_CASE("tls choice: a node hears of it as its launcher was told") {
  const auto told = [](const TlsChoice& choice) {
    const auto arguments = tls_arguments(choice);
    std::map<std::string, std::string> given;
    for (std::size_t i = 0; i + 1 < arguments.size(); i += 2)
      given[arguments[i]] = arguments[i + 1];
    return tls_of_arguments(variables_of(given));
  };
  CHECK(!told({}).on);
  CHECK(told({.on = true}).on);
  CHECK(!told({.on = true}).files.given());
  CHECK(told({true, {"a", "b", "c"}}).files.authority == "c");
}

}  // namespace
}  // namespace foretrain::exec
