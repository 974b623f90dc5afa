// Maps files by Boost.Iostreams.
#include "models/data/file_bytes.h"

#include "models/data/refuse.h"

#include <boost/iostreams/device/mapped_file.hpp>

#include <cerrno>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <utility>

namespace foretrain {

FileBytes::FileBytes(std::string path, std::string_view expected) : path_(std::move(path)) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const auto status = fs::status(path_, ignored);
  if (!fs::exists(status)) refuse(path_, "no such file; check the path, or fetch the data set");
  if (fs::is_directory(status)) refuse(path_, "a folder where {} is expected", expected);
  if (!fs::is_regular_file(status)) refuse(path_, "not a regular file; {} is expected", expected);
  if (fs::file_size(path_, ignored) == 0) refuse(path_, "the file is empty; fetch it again");
  try {
    auto mapping = std::make_shared<const boost::iostreams::mapped_file_source>(path_);
    bytes_ = {reinterpret_cast<const std::uint8_t*>(mapping->data()), mapping->size()};
    mapping_ = std::move(mapping);
  } catch (const std::exception& error) {
    // Boost does not report the reason; opening the file does.
    if (!std::ifstream(path_)) refuse(path_, "cannot be opened: {}", std::strerror(errno));
    refuse(path_, "cannot be mapped into memory: {}", error.what());
  }
}

}  // namespace foretrain
