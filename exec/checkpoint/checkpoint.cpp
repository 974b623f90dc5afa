#include "exec/checkpoint/checkpoint.h"

#include "exec/checkpoint/durable_file.h"
#include "reports/record/files.h"
#include "reports/record/json_object.h"
#include "reports/record/record.h"
#include "scenarios/language/file_errors.h"
#include "scenarios/language/input_error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <system_error>

namespace foretrain::exec {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int kFormat = 2;
constexpr std::string_view kPrefix = "step-";
constexpr std::string_view kDamagedManifest = "it is damaged";

/// The cuts that have a folder, the newest first.
std::vector<std::int64_t> cuts_in(const fs::path& run) {
  std::vector<std::int64_t> cuts;
  std::error_code error;
  for (fs::directory_iterator each(run / kCheckpointsFolder, error), end; !error && each != end;
       each.increment(error)) {
    const std::string name = each->path().filename().string();
    if (!name.starts_with(kPrefix)) continue;
    std::int64_t cut = 0;
    const char* last = name.data() + name.size();
    const auto [at, wrong] = std::from_chars(name.data() + kPrefix.size(), last, cut);
    if (wrong == std::errc() && at == last && cut > 0) cuts.push_back(cut);
  }
  std::ranges::sort(cuts, std::greater{});
  return cuts;
}

// Names come from outside: invalid UTF-8 in them is replaced.
std::string text_of(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

Json body_of(const Manifest& manifest) {
  Json parts = Json::array();
  for (const Part& part : manifest.parts) {
    parts.push_back({{"node", part.role},
                     {"bytes", part.size},
                     {"sha256", part.sha256},
                     {"reported", part.reported},
                     {"evaluated", part.evaluated},
                     {"gradients", part.gradients}});
  }
  return {{"foretrain_checkpoint", kFormat},
          {"run", manifest.run},
          {"step", manifest.cut},
          {"time_ns", manifest.time.ns},
          {"kernel_set", manifest.kernel_set},
          {"parts", parts},
          {"scenario", manifest.scenario}};
}

// Checked, since it becomes a file name: other text could lead to any file of this machine.
std::string role_of(const JsonObject& part) {
  std::string role = part.text("node");
  const auto is_plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  if (role.empty() || !std::ranges::all_of(role, is_plain))
    part.fail("node: is not the name of a node");
  return role;
}

Manifest manifest_of(const JsonObject& body) {
  Manifest manifest;
  manifest.run = body.text("run");
  manifest.cut = body.integer("step");
  manifest.time = {body.integer("time_ns")};
  manifest.kernel_set = body.text("kernel_set");
  manifest.scenario = body.text("scenario");
  const std::vector<JsonObject> parts = body.objects("parts");
  manifest.parts.reserve(parts.size());
  for (const JsonObject& part : parts) {
    manifest.parts.push_back({role_of(part), part.integer("bytes"), part.text("sha256"),
                              part.integer("reported"), part.integer("evaluated"),
                              part.integer("gradients")});
  }
  return manifest;
}

Manifest read_manifest(const fs::path& run, std::int64_t cut) {
  const fs::path path = folder_of_cut(run, cut) / kManifestFile;
  if (!fs::exists(path))
    throw InputError(path.string() + ": is missing, so the checkpoint was never complete");
  const auto fail = [&](const std::string& what) -> void {
    throw InputError(fmt::format("{}: {}", path.string(), what));
  };
  const Json json = parse_json(read_text_file(path), path.string(), kDamagedManifest);
  const JsonObject file(json, path.string() + ":", kDamagedManifest);
  const JsonObject body = file.object("checkpoint");
  if (file.text("sha256") != sha256_of(text_of(file.at("checkpoint")))) {
    fail("does not match its hash; it is damaged");
  }
  if (body.integer("foretrain_checkpoint") != kFormat) {
    fail("was written by another version of this program");
  }
  Manifest manifest = manifest_of(body);
  if (manifest.cut != cut)
    fail(fmt::format("is of step {}, so it was moved here from another folder", manifest.cut));
  return manifest;
}

/// The run's name in the record of the folder; empty if there is none.
std::string name_of_run(const fs::path& run) {
  try {
    const auto record = read_record_head(run);
    return record ? record->run : std::string();
  } catch (const InputError&) {
    return {};  // reading the record reports the error
  }
}

}  // namespace

fs::path folder_of_cut(const fs::path& run, std::int64_t cut) {
  return run / kCheckpointsFolder / fmt::format("{}{}", kPrefix, cut);
}

fs::path file_of_part(const fs::path& run, std::int64_t cut, const std::string& role) {
  return folder_of_cut(run, cut) / (role + ".ckpt");
}

std::int64_t write_manifest(const fs::path& run, const Manifest& manifest, int keep) {
  const Json body = body_of(manifest);
  const Json json{{"checkpoint", body}, {"sha256", sha256_of(text_of(body))}};
  write_durably(folder_of_cut(run, manifest.cut) / kManifestFile, text_of(json) + "\n");
  int whole = 0;
  std::int64_t oldest = 0;
  for (const std::int64_t cut : cuts_in(run)) {
    if (cut > manifest.cut) continue;  // incomplete so far
    const fs::path folder = folder_of_cut(run, cut);
    const bool is_whole = fs::exists(folder / kManifestFile);
    std::error_code ignored;
    // The manifest goes first, so that a half-removed checkpoint does not count.
    if (!is_whole || whole >= keep) {
      fs::remove(folder / kManifestFile, ignored);
      fs::remove_all(folder, ignored);
    } else {
      ++whole;
      oldest = cut;
    }
  }
  return whole < keep ? 0 : oldest;
}

void remove_parts_before(const fs::path& run, std::int64_t cut, const std::string& role) {
  for (const std::int64_t each : cuts_in(run)) {
    if (each >= cut) continue;
    remove_written(file_of_part(run, each, role));
    std::error_code not_empty;
    fs::remove(folder_of_cut(run, each), not_empty);
  }
}

std::string read_part(const fs::path& run, std::int64_t cut, const Part& part) {
  const fs::path path = file_of_part(run, cut, part.role);
  std::string text;
  try {
    check_is_file(path);
    std::error_code absent;  // reading reports it
    const auto size = fs::file_size(path, absent);
    if (!absent && size != static_cast<std::uintmax_t>(part.size)) {
      throw InputError(
          fmt::format("{}: has {} bytes, but its manifest says {}; it is incomplete, or of another "
                      "checkpoint",
                      path.string(), size, part.size));
    }
    text = read_text_file(path);
  } catch (const InputError& error) {
    throw PartError(error.what());
  }
  if (sha256_of(text) != part.sha256) {
    throw PartError(
        fmt::format("{}: does not match the hash in its manifest; it is damaged, or of another "
                    "checkpoint",
                    path.string()));
  }
  return text;
}

Newest newest_checkpoint(const fs::path& run, bool here, std::int64_t before) {
  Newest newest;
  const std::string name = name_of_run(run);
  for (const std::int64_t cut : cuts_in(run)) {
    if (cut >= before) continue;
    try {
      Manifest manifest = read_manifest(run, cut);
      if (!name.empty() && manifest.run != name) {
        throw InputError(
            fmt::format("{}: is of run {}, but the record in the same folder is of run {}",
                        folder_of_cut(run, cut).string(), manifest.run, name));
      }
      for (const Part& part : manifest.parts) {
        std::error_code unseen;
        if (here || fs::exists(file_of_part(run, cut, part.role), unseen)) {
          read_part(run, cut, part);
        }
      }
      newest.manifest = std::move(manifest);
      return newest;
    } catch (const InputError& error) {
      newest.passed_over.emplace_back(error.what());
    }
  }
  return newest;
}

void remove_checkpoints_after(const fs::path& run, std::int64_t cut) {
  for (const std::int64_t each : cuts_in(run)) {
    if (each <= cut) continue;
    std::error_code ignored;
    fs::remove(folder_of_cut(run, each) / kManifestFile, ignored);
    fs::remove_all(folder_of_cut(run, each), ignored);
  }
}

}  // namespace foretrain::exec
