// Certificates that a test makes.
#pragma once

#include "exec/transport/tls.h"

#include <memory>
#include <string>

namespace foretrain::testing {

/// Vouches for others, by files in PEM.
class Authority {
 public:
  /// `path`: of its certificate.
  explicit Authority(std::string path);
  Authority(const Authority&) = delete;
  Authority& operator=(const Authority&) = delete;
  ~Authority();

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Writes PATH.pem and PATH.key for a process. `days`: until it ends; below zero it has ended.
  [[nodiscard]] exec::TlsFiles issue(const std::string& path, int days = 1) const;

 private:
  struct Held;

  std::string path_;
  std::unique_ptr<Held> held_;
};

}  // namespace foretrain::testing
