// Which program of an installation runs, by the kernels that it was compiled with.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain::exec {

/// The environment variable that chooses kernels: avx2 or avx512. Not set: the processor does.
inline constexpr const char* kKernelsVariable = "FORETRAIN_KERNELS";

/// A package holds the program twice, compiled of the same sources: PREFIX/bin/foretrain with AVX2,
/// PREFIX/lib/foretrain/foretrain-avx512 with AVX-512. Who is called, by people and by launchers,
/// is the first one; where the processor has more, it becomes the second before it does anything
/// else. All of a program is compiled for one set: of an inline function that two sets share a
/// linker would keep one, for either.
struct KernelProgram {
  std::string kernels;         ///< its kernel_set (models/networks/registry.h)
  std::filesystem::path path;  ///< no symbolic link
};

/// The one that runs.
KernelProgram this_kernel_program();

/// The program with `kernels` of the installation that `one` is of; empty: there is none.
std::filesystem::path program_with(std::string_view kernels, const KernelProgram& one);

/// That of the installation of `program` that is called on every host, whatever its processor.
std::filesystem::path called_program(const std::filesystem::path& program);

/// What `one` is to become; empty: it stays. `asked`: what kKernelsVariable says; `avx512`: this
/// processor has F, BW, CD, DQ and VL of it. @throws InputError where what is asked for is unknown,
/// more than the processor has, or not installed
std::filesystem::path chosen_program(const KernelProgram& one,
                                     const std::optional<std::string>& asked, bool avx512);

/// To be called first of all: this process becomes the program that is chosen, called with the same
/// `arguments`, which end with a null pointer. Returns 0 where it is that already. A program of
/// another build, which was only half installed, is left again, and people are told.
/// @throws InputError as chosen_program, or where what was asked for is another build
int choose_kernels(char* const* arguments);

/// The kernels that begin_again_with may take.
std::vector<std::string> other_kernels();

/// This process becomes the program with `kernels`, called with `words`. Its id, its parent, its
/// cores, its network stay, and its environment, but for `variables` (become); other threads end.
/// @throws InputError where it cannot
[[noreturn]] void begin_again_with(const std::string& kernels,
                                   const std::vector<std::string>& words,
                                   std::vector<std::string> variables = {});

/// `0.1.0 (2c2e608b1a2c, wire 2), avx2 kernels`.
std::string build_and_kernels();

}  // namespace foretrain::exec
