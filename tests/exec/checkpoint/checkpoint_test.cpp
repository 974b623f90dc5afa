// Reading a folder of checkpoints, including damaged ones.
#include "exec/checkpoint/checkpoint.h"

#include "exec/checkpoint/durable_file.h"
#include "exec/checkpoint/node_part.h"
#include "exec/checkpoint/resumption.h"
#include "reports/record/files.h"
#include "scenarios/resolve/read.h"
#include "tests/reports/support.h"
#include "tests/scenarios/messages.h"
#include "tests/support/temp_folder.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace foretrain::exec {
namespace {
namespace fs = std::filesystem;
using Catch::Matchers::Contains;

NodePart node_part(const fs::path& run, const std::string& role) {
  NodePart part;
  part.folder = run;
  part.role = role;
  return part;
}

void write_part(const NodePart& node, std::int64_t cut, Manifest& manifest) {
  SaveState keep;
  keep.cut = cut;
  keep.state = [&] { return "state of " + node.role; };
  const WrittenPart written = node.write(keep);
  REQUIRE(written.wrong.empty());
  manifest.parts.push_back(written.part);
}

/// The checkpoints of which a node has its part, oldest first.
std::vector<std::int64_t> cuts_kept_by(const NodePart& node) {
  std::vector<std::int64_t> cuts;
  for (const std::int64_t cut : {100, 200, 300, 400, 500}) {
    if (fs::exists(file_of_part(node.folder, cut, node.role))) cuts.push_back(cut);
  }
  return cuts;
}

/// Writes a complete checkpoint of two nodes, whose states are `text` plus their roles.
Manifest make_whole(const fs::path& run, std::int64_t cut, const std::string& text,
                    const std::string& name = "a", int keep = 100) {
  Manifest manifest{name, cut, {cut * 1000}, "none", "scenario", {}};
  for (const std::string role : {"worker0", "server0"}) {
    SaveState keep_effect;
    keep_effect.cut = cut;
    keep_effect.state = [&] { return text + role; };
    const WrittenPart written = node_part(run, role).write(keep_effect);
    REQUIRE(written.wrong.empty());
    manifest.parts.push_back(written.part);
  }
  write_manifest(run, manifest, keep);
  return manifest;
}

TEST_CASE("checkpoints: the newest is read back, so many of the newest stay") {
  const TempFolder folder;
  for (const std::int64_t cut : {100, 200, 300, 400}) make_whole(folder.path(), cut, "x", "a", 2);
  CHECK(!fs::exists(folder_of_cut(folder.path(), 200)));
  CHECK(fs::exists(folder_of_cut(folder.path(), 300)));
  const Newest newest = newest_checkpoint(folder.path(), true);
  REQUIRE(newest.manifest);
  CHECK(newest.passed_over.empty());
  CHECK(newest.manifest->cut == 400);
  CHECK(newest.manifest->time == Instant{400'000});
  CHECK(newest.manifest->scenario == "scenario");
  REQUIRE(newest.manifest->parts.size() == 2);
  CHECK(read_part(folder.path(), 400, newest.manifest->parts[1]) == "xserver0");
  remove_checkpoints_after(folder.path(), 300);
  CHECK(newest_checkpoint(folder.path(), true).manifest->cut == 300);
  remove_checkpoints_after(folder.path(), 0);
  CHECK(!newest_checkpoint(folder.path(), true).manifest);
}

TEST_CASE("checkpoints: a torn, mixed, stale, moved or damaged one is passed over by name") {
  const TempFolder folder;
  const fs::path run = folder.path();
  make_whole(run, 100, "older");
  make_whole(run, 200, "newer");
  const fs::path part = file_of_part(run, 200, "server0");
  const fs::path manifest = folder_of_cut(run, 200) / kManifestFile;
  const std::string wrong = GENERATE("cut", "gone", "changed", "stale", "foreign", "no manifest",
                                     "manifest cut", "manifest changed", "manifest deep", "moved");
  CAPTURE(wrong);
  std::string told = part.string();
  if (wrong == "cut") fs::resize_file(part, 3);
  if (wrong == "gone") fs::remove(part);
  if (wrong == "changed") write_text_file(part, "Newerserver0");
  if (wrong == "stale")
    fs::copy_file(file_of_part(run, 100, "server0"), part, fs::copy_options::overwrite_existing);
  if (wrong == "foreign") {  // from another run, with the same size
    const TempFolder other;
    make_whole(other.path(), 200, "other", "b");
    fs::copy_file(file_of_part(other.path(), 200, "server0"), part,
                  fs::copy_options::overwrite_existing);
  }
  if (wrong.starts_with("manifest") || wrong == "no manifest") told = manifest.string();
  if (wrong == "no manifest") fs::remove(manifest);
  if (wrong == "manifest cut") fs::resize_file(manifest, fs::file_size(manifest) - 40);
  if (wrong == "manifest changed") {
    std::string text = read_text_file(manifest);
    text.replace(text.find("200000"), 6, "900000");
    write_text_file(manifest, text);
  }
  if (wrong == "manifest deep") {
    const std::string open(1'000'000, '[');
    const std::string close(1'000'000, ']');
    write_text_file(manifest, R"({"checkpoint": )" + open + close + R"(, "sha256": ""})");
  }
  if (wrong == "moved") {
    fs::rename(folder_of_cut(run, 200), folder_of_cut(run, 300));
    told = (folder_of_cut(run, 300) / kManifestFile).string();
  }
  const Newest newest = newest_checkpoint(run, true);
  REQUIRE(newest.manifest);
  CHECK(newest.manifest->cut == 100);
  REQUIRE(newest.passed_over.size() == 1);
  CHECK_THAT(newest.passed_over.front(), Contains(told));
}

TEST_CASE("checkpoints: what is no file is passed over, a part of another size is not read") {
  const TempFolder folder;
  const fs::path run = folder.path();
  make_whole(run, 100, "older");
  make_whole(run, 200, "newer");
  const fs::path part = file_of_part(run, 200, "server0");
  const std::string wrong = GENERATE("folder", "pipe", "long", "manifest");
  CAPTURE(wrong);
  fs::path named = part;
  constexpr std::uintmax_t kMuch = 64'000'000'000;  // a sparse file without disk blocks
  if (wrong == "long") fs::resize_file(part, kMuch);
  if (wrong == "manifest") named = folder_of_cut(run, 200) / kManifestFile;
  if (wrong != "long") fs::remove(named);
  if (wrong == "pipe") REQUIRE(mkfifo(part.c_str(), 0600) == 0);
  if (wrong == "folder" || wrong == "manifest") fs::create_directory(named);
  const Newest newest = newest_checkpoint(run, true);
  REQUIRE(newest.manifest);
  CHECK(newest.manifest->cut == 100);
  REQUIRE(newest.passed_over.size() == 1);
  CHECK_THAT(newest.passed_over.front(), Contains(named.string() + ": "));
}

TEST_CASE("checkpoints: those of another run than the record beside them are passed over") {
  const TempFolder folder;
  const fs::path run = folder.path();
  Record record = testing::small_record(Mode::run, "sync");
  record.run = "a";
  write_record(record, run);
  make_whole(run, 100, "own", "a");
  make_whole(run, 200, "other", "b");
  const Newest newest = newest_checkpoint(run, true);
  REQUIRE(newest.manifest);
  CHECK(newest.manifest->cut == 100);
  REQUIRE(newest.passed_over.size() == 1);
  CHECK_THAT(newest.passed_over.front(),
             Contains("step-200: is of run b, but the record in the same folder is of run a"));
  record.run.clear();  // as written by an older version of this program
  write_record(record, run);
  CHECK(newest_checkpoint(run, true).manifest->cut == 200);
}

TEST_CASE("checkpoints: a node without the launcher's folder removes what so many have replaced") {
  using Cuts = std::vector<std::int64_t>;
  const TempFolder launcher;
  const TempFolder host;
  const NodePart here = node_part(launcher.path(), "worker0");
  const NodePart there = node_part(host.path(), "server0");
  const NodePart beside = node_part(host.path(), "worker1");
  const auto make = [&](std::int64_t cut) {
    Manifest manifest{"a", cut, {}, "none", "scenario", {}};
    for (const NodePart& node : {here, there, beside}) write_part(node, cut, manifest);
    return write_manifest(launcher.path(), manifest, 2);
  };
  CHECK(make(100) == 0);  // one is complete, two are kept
  CHECK(make(200) == 100);
  Manifest never_whole;
  write_part(there, 300, never_whole);
  const std::int64_t outdated = make(400);
  CHECK(outdated == 200);
  CHECK(cuts_kept_by(here) == Cuts{200, 400});
  CHECK(cuts_kept_by(there) == Cuts{100, 200, 300, 400});
  write_text_file(folder_of_cut(host.path(), 100) / ".server0.ckpt.new", "it was killed");
  there.remove_before(outdated);
  CHECK(cuts_kept_by(there) == Cuts{200, 300, 400});
  CHECK(cuts_kept_by(beside) == Cuts{100, 200, 400});  // this part belongs to another node
  CHECK(!fs::exists(folder_of_cut(host.path(), 100) / ".server0.ckpt.new"));
  beside.remove_before(outdated);
  CHECK(!fs::exists(folder_of_cut(host.path(), 100)));
  there.remove_before(make(500));
  CHECK(cuts_kept_by(there) == Cuts{400, 500});
  CHECK(newest_checkpoint(launcher.path(), false).manifest->cut == 500);
}

TEST_CASE("checkpoints: where parts are on other machines, those that are seen are looked at") {
  const TempFolder folder;
  const fs::path run = folder.path();
  make_whole(run, 100, "older");
  make_whole(run, 200, "newer");
  fs::remove(file_of_part(run, 200, "worker0"));  // it is on another machine
  CHECK(newest_checkpoint(run, false).manifest->cut == 200);
  CHECK(newest_checkpoint(run, true).manifest->cut == 100);
  fs::resize_file(file_of_part(run, 200, "server0"), 3);
  const Newest newest = newest_checkpoint(run, false);
  REQUIRE(newest.manifest);
  CHECK(newest.manifest->cut == 100);
  REQUIRE(newest.passed_over.size() == 1);
  CHECK_THAT(newest.passed_over.front(), Contains("step-200/server0.ckpt: has 3 bytes"));
  CHECK(!newest_checkpoint(run, false, 100).manifest);
  CHECK(newest_checkpoint(run, false, 200).passed_over.empty());
}

TEST_CASE("checkpoints: a manifest that makes no sense is passed over though its hash is right") {
  const TempFolder folder;
  const fs::path run = folder.path();
  make_whole(run, 100, "older");
  make_whole(run, 200, "newer");
  const fs::path file = folder_of_cut(run, 200) / kManifestFile;
  auto body = nlohmann::ordered_json::parse(read_text_file(file)).at("checkpoint");
  std::string wrong = "parts[0]: node: is not the name of a node";
  SECTION("a number that no integer holds") {
    body["time_ns"] = 1e300;
    wrong = "time_ns: 1e+300 is not a whole number of 64 bits";
  }
  SECTION("a number beyond the largest") {
    body["parts"][0]["bytes"] = ~std::uint64_t{0};
    wrong = "parts[0]: bytes: 18446744073709551615 is not a whole number of 64 bits";
  }
  SECTION("a key that is missing") {
    body.erase("step");
    wrong = "has no `step`";
  }
  SECTION("a part that lies elsewhere") { body["parts"][0]["node"] = "../../worker0"; }
  SECTION("a part that is a device") { body["parts"][0]["node"] = std::string("/dev/zero\0", 10); }
  SECTION("a part without a name") { body["parts"][0]["node"] = ""; }
  write_text_file(
      file,
      nlohmann::ordered_json{{"checkpoint", body}, {"sha256", sha256_of(body.dump(2))}}.dump());
  const Newest newest = newest_checkpoint(run, true);
  REQUIRE(newest.manifest);
  CHECK(newest.manifest->cut == 100);
  REQUIRE(newest.passed_over.size() == 1);
  CHECK(newest.passed_over.front() ==
        fmt::format("{}: checkpoint: {}; it is damaged", file.string(), wrong));
}

TEST_CASE("checkpoints: one without the part of each node is of no training") {
  const Case scenario_case =
      parse_scenario("{foretrain: 1, training: {strategy: sync, workers: 1, steps: 9}}", "x.yaml")
          .front();
  Manifest manifest{"a", 5, {}, "none", to_yaml(scenario_case.scenario), {}};
  const auto part = [](const std::string& role) {
    Part named;
    named.role = role;
    return named;
  };
  manifest.parts = {part("worker0"), part("server0")};
  CHECK_NOTHROW(check_is_of(manifest, scenario_case));
  SECTION("too few") { manifest.parts.pop_back(); }
  SECTION("too many") { manifest.parts.push_back(part("server1")); }
  SECTION("others") { manifest.parts = {part("server0"), part("worker0")}; }
  CHECK_THROWS_WITH(check_is_of(manifest, scenario_case), Contains("its parts are not those"));
}

TEST_CASE("checkpoints: a part that cannot be written is told, nothing of it stays") {
  const TempFolder folder;
  const std::string file = folder / "file";
  write_text_file(file, "");
  SaveState keep;
  keep.cut = 5;
  keep.state = [] { return std::string("state"); };
  const WrittenPart written = node_part(file, "worker0").write(keep);  // the folder is a file
  CHECK_THAT(written.wrong, Contains("worker0.ckpt"));
  CHECK(written.part.sha256 == sha256_of("state"));
}

}  // namespace
}  // namespace foretrain::exec
