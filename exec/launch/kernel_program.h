// The choice among an installation's programs by their compiled kernels.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain::exec {

/// The environment variable that chooses kernels: avx2 or avx512. If unset, the processor decides.
inline constexpr const char* kKernelsVariable = "FORETRAIN_KERNELS";

/// A package contains the program twice, compiled from the same sources: PREFIX/bin/foretrain with
/// AVX2, PREFIX/lib/foretrain/foretrain-avx512 with AVX-512. Users and launchers call the first
/// one; on a processor with AVX-512 it replaces itself by the second before it does anything else.
/// Each program is compiled for one set throughout: if an inline function were compiled for two
/// sets, the linker would keep one version for both.
struct KernelProgram {
  std::string kernels;         ///< its kernel_set (models/networks/registry.h)
  std::filesystem::path path;  ///< not a symbolic link
};

/// The running program.
KernelProgram this_kernel_program();

/// The program with `kernels` in the installation of `one`; empty if there is none.
std::filesystem::path program_with(std::string_view kernels, const KernelProgram& one);

/// The program of the installation that is called on every host, whatever its processor.
std::filesystem::path called_program(const std::filesystem::path& program);

/// The program that replaces `one`; empty if it stays. `asked`: value of kKernelsVariable;
/// `avx512`: this processor has its F, BW, CD, DQ and VL. @throws InputError if the value is
/// unknown, needs more than the processor has, or is not installed
std::filesystem::path chosen_program(const KernelProgram& one,
                                     const std::optional<std::string>& asked, bool avx512);

/// Called first of all: replaces this process by the chosen program with the same `arguments`,
/// which end with a null pointer. Returns 0 if this is the chosen program already. If the chosen
/// one is another build, from an incomplete installation, returns to this program with a message.
/// @throws InputError as chosen_program, or if the requested program is another build
int choose_kernels(char* const* arguments);

/// The kernels that begin_again_with accepts.
std::vector<std::string> other_kernels();

/// Replaces this process by the program with `kernels`, called with `words`. Its id, parent, cores,
/// network and environment stay, except for `variables` (become); other threads end.
/// @throws InputError on failure
[[noreturn]] void begin_again_with(const std::string& kernels,
                                   const std::vector<std::string>& words,
                                   std::vector<std::string> variables = {});

/// `0.1.0 (2c2e608b1a2c, wire 2), avx2 kernels`.
std::string build_and_kernels();

}  // namespace foretrain::exec
