#include "exec/launch/kernel_program.h"

#include "exec/launch/task.h"
#include "exec/system/process.h"
#include "exec/transport/build_name.h"
#include "models/networks/registry.h"
#include "reports/record/stderr_note.h"
#include "scenarios/language/input_error.h"

#include <fmt/format.h>

#include <unistd.h>

#include <system_error>
#include <utility>

namespace foretrain::exec {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kAvx2 = "avx2";
constexpr std::string_view kAvx512 = "avx512";
constexpr const char* kBehind = "foretrain-avx512";  // name of the AVX-512 program

/// Between the two programs: the build of the program that was replaced.
constexpr const char* kCameFrom = "FORETRAIN_KERNELS_CAME_FROM";

// The features of x86-64-v4, for which the second program is compiled.
bool processor_has_avx512() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
         __builtin_cpu_supports("avx512cd") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
         __builtin_cpu_supports("avx512vl") != 0;
#else
  return false;
#endif
}

bool is_program(const fs::path& path) { return access(path.c_str(), X_OK) == 0; }

// Returns only on failure, with the reason.
std::string become_program(const fs::path& program, char* const* arguments,
                           std::vector<std::string> variables = {}) {
  variables.push_back(fmt::format("{}={}", kCameFrom, build_name()));
  return fmt::format("{}: {}", program.string(),
                     std::generic_category().message(become(program, arguments, variables)));
}

// The program of build `theirs` was replaced by this one, which is another build. Returns to it
// unless the user requested this one.
void go_back(const KernelProgram& one, const std::string& theirs,
             const std::optional<std::string>& asked, char* const* arguments) {
  const std::string why =
      fmt::format("{}: {}", one.path.string(), other_build(build_name(), theirs));
  const fs::path before = one.kernels == kAvx512 ? program_with(kAvx2, one) : fs::path();
  if (asked || before.empty()) throw InputError(why);
  stderr_note(fmt::format("not used: {}\n", why));
  become(before, arguments, {fmt::format("{}={}", kKernelsVariable, kAvx2)});
  throw InputError(why);
}

}  // namespace

KernelProgram this_kernel_program() {
  std::error_code error;  // if the system does not report it, there is no other one either
  return {std::string(kernel_set()), fs::read_symlink("/proc/self/exe", error)};
}

fs::path program_with(std::string_view kernels, const KernelProgram& one) {
  const fs::path folder = one.path.parent_path();
  fs::path other;
  if (kernels == kAvx512 && one.kernels == kAvx2) {
    other = folder.parent_path() / "lib/foretrain" / kBehind;
  } else if (kernels == kAvx2 && one.kernels == kAvx512) {
    other = called_program(one.path);
    if (other == one.path) return {};
  }
  return is_program(other) ? other : fs::path();
}

fs::path called_program(const fs::path& program) {
  if (program.filename() != kBehind) return program;
  const fs::path prefix = program.parent_path().parent_path().parent_path();
  fs::path called = prefix / "bin/foretrain";
  return is_program(called) ? called : program;
}

fs::path chosen_program(const KernelProgram& one, const std::optional<std::string>& asked,
                        bool avx512) {
  if (!asked) {
    return one.kernels == kAvx2 && avx512 ? program_with(kAvx512, one) : fs::path();
  }
  if (*asked == one.kernels) return {};
  const auto fail = [&](const std::string& what) {
    throw InputError(fmt::format("{}={}: {}", kKernelsVariable, *asked, what));
  };
  if (*asked != kAvx2 && *asked != kAvx512) {
    fail("is not known; write avx2 or avx512, or unset it");
  }
  if (*asked == kAvx512 && !avx512) {
    fail("this processor has no AVX-512 (F, BW, CD, DQ, VL); write avx2, or unset it");
  }
  fs::path found = program_with(*asked, one);
  if (found.empty()) {
    fail(fmt::format(
        "this program has only {} kernels; unset it, install the package, which has both, or build "
        "with -DFORETRAIN_ARCH=x86-64-v{}",
        one.kernels, *asked == kAvx2 ? 3 : 4));
  }
  return found;
}

int choose_kernels(char* const* arguments) {
  const KernelProgram one = this_kernel_program();
  const std::optional<std::string> asked = process_environment(kKernelsVariable);
  const auto theirs = process_environment(kCameFrom);
  if (theirs && *theirs != build_name()) go_back(one, *theirs, asked, arguments);
  const fs::path chosen = chosen_program(one, asked, processor_has_avx512());
  if (chosen.empty()) return 0;
  const std::string why = become_program(chosen, arguments);
  if (asked) throw InputError(why);
  stderr_note(fmt::format("not used: {}\n", why));
  return 0;
}

std::vector<std::string> other_kernels() {
  std::vector<std::string> others;
  // A requested set stays.
  if (process_environment(kKernelsVariable)) return others;
  if (!program_with(kAvx2, this_kernel_program()).empty()) others.emplace_back(kAvx2);
  return others;
}

void begin_again_with(const std::string& kernels, const std::vector<std::string>& words,
                      std::vector<std::string> variables) {
  const fs::path program = program_with(kernels, this_kernel_program());
  if (program.empty()) throw InputError("there is no foretrain with " + kernels + " kernels here");
  const std::vector<char*> raw = raw_words(words);
  variables.push_back(fmt::format("{}={}", kKernelsVariable, kernels));
  throw InputError(become_program(program, raw.data(), std::move(variables)));
}

std::string build_and_kernels() {
  return fmt::format("{}, {} kernels", build_name(), kernel_set());
}

}  // namespace foretrain::exec
