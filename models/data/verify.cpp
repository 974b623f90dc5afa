// Reads a data set of any format to describe it.
#include "models/data/open_data.h"
#include "models/data/refuse.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <string_view>
#include <vector>

namespace foretrain {
namespace {

constexpr int kAnyClass = 65'536;  // limit of the labels of IDX

/// The format whose files have this name; empty if none.
std::string format_of_name(std::string_view name) {
  if (name.starts_with("train-") || name.starts_with("t10k-")) return "idx";
  if (name.ends_with(".bin")) return "cifar10";
  if (name.ends_with(".train") || name.ends_with(".test")) return "libsvm";
  return name == "train.csv" || name == "test.csv" ? "criteo" : "";
}

std::string format_of_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::directory_iterator entry(folder, error);
  if (error) {
    refuse(folder, "cannot be read as a folder: {}; name the one with the data set's files",
           error.message());
  }
  for (; entry != std::filesystem::directory_iterator(); ++entry) {
    std::string format = format_of_name(entry->path().filename().string());
    if (!format.empty()) return format;
  }
  refuse(folder, "the folder has no data set: {}",
         "no train-images-idx3-ubyte, no data_batch_1.bin, no .train file, no train.csv");
}

/// Example: `train      60,000 of 28x28x1, 10 classes (0: 5,923, 1: 6,742, ...)`.
std::string describe_part(std::string_view part, const Dataset& dataset) {
  constexpr std::int64_t kAtOnce = 1'000;
  constexpr std::size_t kMostClasses = 20;
  std::map<int, std::int64_t> counts;
  Batch batch;
  for (std::int64_t start = 0; start < dataset.examples(); start += kAtOnce) {
    const std::int64_t size = std::min(kAtOnce, dataset.examples() - start);
    std::vector<std::int64_t> which(static_cast<std::size_t>(size));
    std::iota(which.begin(), which.end(), start);
    dataset.gather(which, nullptr, batch);
    for (const std::int32_t label : batch.labels) ++counts[label];
  }
  const InputShape shape = dataset.shape();
  const std::string example = shape.sparse()
                                  ? fmt::format("{:.2f} of {} features", shape.sparse_entries,
                                                grouped(shape.sparse_features))
                                  : to_string(shape.image);
  std::vector<std::string> classes;
  for (const auto& [label, count] : counts) {
    if (classes.size() < kMostClasses) {
      classes.push_back(fmt::format("{}: {}", label, grouped(count)));
    }
  }
  if (counts.size() > kMostClasses) classes.emplace_back("...");
  return fmt::format("{:<11}{} of {}, {} classes ({})\n", part, grouped(dataset.examples()),
                     example, counts.size(), fmt::join(classes, ", "));
}

}  // namespace

std::string describe_data(const std::string& folder) {
  DataSource source;
  source.format = format_of_folder(folder);
  source.path = folder;
  source.classes = source.format == "idx" ? kAnyClass : 0;
  const DataSplit data = open_data(source);
  return fmt::format("{:<11}{}\n", "format", source.format) + describe_part("train", *data.train) +
         describe_part("test", *data.test);
}

}  // namespace foretrain
