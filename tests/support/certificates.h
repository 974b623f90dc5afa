// Certificates for tests.
#pragma once

#include "exec/transport/tls.h"

#include <memory>
#include <string>

namespace foretrain::testing {

/// A certificate authority; files are in PEM.
class Authority {
 public:
  /// `path`: of its certificate.
  explicit Authority(std::string path);
  Authority(const Authority&) = delete;
  Authority& operator=(const Authority&) = delete;
  ~Authority();

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Writes PATH.pem and PATH.key for a process. `days`: validity; negative if it has expired.
  [[nodiscard]] exec::TlsFiles issue(const std::string& path, int days = 1) const;

 private:
  struct Held;

  std::string path_;
  std::unique_ptr<Held> held_;
};

}  // namespace foretrain::testing
