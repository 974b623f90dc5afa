// Fuzzes the reader of checkpoints with made-up manifests.
#include "exec/checkpoint/checkpoint.h"
#include "exec/checkpoint/durable_file.h"
#include "exec/checkpoint/resumption.h"
#include "models/base/check.h"
#include "reports/record/json_object.h"
#include "scenarios/language/input_error.h"
#include "scenarios/resolve/read.h"
#include "tests/fuzz/fuzz.h"
#include "tests/reports/support.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <filesystem>
#include <optional>
#include <string>

using namespace foretrain;
using namespace foretrain::exec;
using namespace foretrain::fuzz;

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::int64_t kCut = 5;
constexpr const char* kScenario =
    "{foretrain: 1, name: kept, dataset: {take: 300, test_take: 50}, training: {strategy: sync, "
    "workers: 1, servers: 1, steps: 9}}";

/// A run with the parts of a worker and a server, without a manifest.
const fs::path& run_folder() {
  static const fs::path folder = [] {
    const fs::path run = scratch_folder() / "run";
    for (const std::string role : {"worker0", "server0"}) {
      write_durably(file_of_part(run, kCut, role), "state of " + role);
    }
    return run;
  }();
  return folder;
}

/// The text as a manifest with a correct hash; otherwise only the hash would be tested.
std::optional<std::string> with_its_hash(std::string_view text) {
  try {
    const Json body = parse_json(text, "body");
    const std::string written = body.dump(2, ' ', false, Json::error_handler_t::replace);
    return Json{{"checkpoint", body}, {"sha256", sha256_of(written)}}.dump(
        -1, ' ', false, Json::error_handler_t::replace);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

/// The result is written and read again.
void check_same_again(const Manifest& manifest) {
  const fs::path file = folder_of_cut(run_folder(), kCut) / kManifestFile;
  write_manifest(run_folder(), manifest, 1);
  const std::string once = testing::read_text(file);
  const Newest again = newest_checkpoint(run_folder(), true);
  FT_CHECK(again.manifest.has_value());
  write_manifest(run_folder(), *again.manifest, 1);
  FT_CHECK_OP(testing::read_text(file), ==, once);
}

}  // namespace

/// `0`: the file of a manifest; `1`: its content without the hash.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Case scenario_case = parse_scenario(kScenario, "scenario").front();
  const auto [which, text] = chosen_of(text_of(data, size), 2);
  const auto whole = which == 0 ? std::optional(std::string(text)) : with_its_hash(text);
  if (!whole) return 0;
  const fs::path file = folder_of_cut(run_folder(), kCut) / kManifestFile;
  testing::write_text(file, *whole);
  const Newest newest = newest_checkpoint(run_folder(), true);
  for (const std::string& why : newest.passed_over) {
    FT_CHECK(why.starts_with(folder_of_cut(run_folder(), kCut).string()));
  }
  FT_CHECK(newest.manifest.has_value() == newest.passed_over.empty());
  if (!newest.manifest) return 0;
  FT_CHECK_OP(newest.manifest->cut, ==, kCut);
  const std::array places{std::string("checkpoint"), std::string("scenario")};
  expect_refusal_at_most(places, [&] { check_is_of(*newest.manifest, scenario_case); });
  check_same_again(*newest.manifest);
  return 0;
}
