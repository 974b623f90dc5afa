#include "exec/system/cache_folder.h"

#include <cstdlib>

namespace foretrain::exec {
namespace fs = std::filesystem;

fs::path cache_folder() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache != '\0') {
    return fs::path(cache) / "foretrain";
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') {
    return fs::path(home) / ".cache" / "foretrain";
  }
  return fs::temp_directory_path() / "foretrain-cache";
}

}  // namespace foretrain::exec
