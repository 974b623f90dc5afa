#include "exec/launch/kept_weights.h"

#include "reports/record/files.h"
#include "scenarios/weights/weights.h"

namespace foretrain::exec {

void keep_weights(const std::filesystem::path& path, const Network& network,
                  const Finished& finished) {
  const Payload& weights = finished.weights;
  if (path.empty() || weights.size().value == 0 || !weights.has_bytes()) return;
  write_text_file(path, weights_text(path, network, weights.floats(), finished.statistics));
}

void check_kept(const std::filesystem::path& path) {
  if (path.empty()) return;
  check_weights_path(path);
  const std::filesystem::path folder = path.parent_path();
  prepare_folder(folder.empty() ? "." : folder);
}

}  // namespace foretrain::exec
