// Recognizes other formats that users give in place of a trace.
#include "scenarios/import/import_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

namespace foretrain {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kTrace =
    "give what export_chrome_trace of torch.profiler writes of the same training, or a CSV of its "
    "layers";
constexpr std::string_view kUnpack = "unpack it, or compress it with gzip";
constexpr std::string_view kRaw = "this is not the trace; download the trace itself";

struct Format {
  std::string_view mark;
  std::string_view what;
  std::string_view give = kTrace;
};

constexpr std::array kEnds{
    Format{".nsys-rep", "a report of Nsight Systems"},
    Format{".qdrep", "a report of Nsight Systems"},
    Format{".qdstrm", "a report of Nsight Systems"},
    Format{".ncu-rep", "a report of Nsight Compute"},
    Format{".et", "an execution trace (Chakra), which has no times of kernels"},
    Format{".pftrace", "a trace of Perfetto"},
    Format{".perfetto-trace", "a trace of Perfetto"},
    Format{".xplane.pb", "a profile of TensorFlow or JAX"},
};
constexpr std::array kBegins{
    Format{"SQLite format 3", "an SQLite database, as nsys export and rocprofv3 write"},
    Format{"PK\x03\x04"sv, "a zip archive", kUnpack},
    Format{"\x28\xb5\x2f\xfd"sv, "packed by zstd", kUnpack},
    Format{"\xfd"
           "7zXZ"sv,
           "packed by xz", kUnpack},
    Format{"BZh", "packed by bzip2", kUnpack},
    Format{"\x80\x02"sv, "a pickle of Python"},
    Format{"\x80\x04"sv, "a pickle of Python"},
    Format{"\x80\x05"sv, "a pickle of Python"},
    Format{"\xff\xfe"sv, "text in UTF-16", "save it as UTF-8"},
    Format{"version https://git-lfs", "a pointer of Git LFS", kRaw},
    Format{"<!DOCTYPE", "a page of HTML", kRaw},
    Format{"<!doctype", "a page of HTML", kRaw},
    Format{"<html", "a page of HTML", kRaw},
};
constexpr std::array kInJson{
    Format{"\"ctrl_deps\"", "an execution trace (Chakra), which has no times of kernels"},
    Format{"execution_trace|process", "an execution trace (Chakra), which has no times of kernels"},
    Format{"execution_graph|process", "an execution trace (Chakra), which has no times of kernels"},
    Format{"\"rocprofiler-sdk-tool\"", "a trace of rocprofv3"},
    Format{"\"BeginNs\"", "a trace of rocprof, without operators"},
    Format{"CPU HIP API", "a trace of rocprof, without operators"},
    Format{"\"TraceProcessEvent\"", "output of nsys export"},
    Format{"\"CudaEvent\"", "output of nsys export"},
    Format{"\"NvtxEvent\"", "output of nsys export"},
};
constexpr std::array kInText{
    Format{"TotalDurationNs", "a table of rocprof: sums by kernel, without steps"},
    Format{"Agent_Id", "a table of rocprofv3, without operators"},
    Format{"KernelName", "a table of rocprof, without operators"},
    Format{"Kernel_Name", "a table of rocprof, without operators"},
    Format{"Total Time (ns)", "a table of nsys stats: sums by kernel, without steps"},
    Format{"Start (ns)", "a table of nsys stats, without operators"},
    Format{"Time(%)", "a table of nvprof or nsys: sums by kernel, without steps"},
    Format{"Self CPU", "a printed table of key_averages()"},
    Format{"forward_compute_time=", "a graph of PipeDream, which is no longer supported"},
};

// A line of export_stacks, with the time at its end: `train.py(12): main;aten::conv2d 1234`.
bool is_stack(std::string_view line) {
  while (line.ends_with('\r') || line.ends_with(' ')) line.remove_suffix(1);
  const std::size_t space = line.rfind(' ');
  if (space == std::string_view::npos || space == 0 || space + 1 == line.size()) return false;
  const std::string_view time = line.substr(space + 1);
  const std::string_view frames = line.substr(0, space);
  return time.find_first_not_of("0123456789") == std::string_view::npos &&
         frames.find_first_of(";(:") != std::string_view::npos && frames.find_first_of("{[\"") != 0;
}

// Whether some bytes are not text.
bool is_binary(std::string_view begin) {
  const auto odd = std::ranges::count_if(begin, [](char c) {
    return static_cast<unsigned char>(c) < ' ' &&
           std::string_view("\n\r\t\f\b\x1b").find(c) == std::string_view::npos;
  });
  return 50 * odd > std::ssize(begin);
}

std::string told(const Format& format) { return fmt::format("{}; {}", format.what, format.give); }

}  // namespace

std::string other_format(std::string_view path, std::string_view begin) {
  for (const Format& each : kEnds) {
    if (path.ends_with(each.mark)) return told(each);
  }
  for (const Format& each : kBegins) {
    if (begin.starts_with(each.mark)) return told(each);
  }
  const std::size_t first = begin.find_first_not_of(" \t\r\n");
  const bool json = first != std::string_view::npos && (begin[first] == '{' || begin[first] == '[');
  const std::span<const Format> parts = json ? std::span<const Format>(kInJson) : kInText;
  for (const Format& each : parts) {
    if (begin.find(each.mark) != std::string_view::npos) return told(each);
  }
  if (!json && is_stack(begin.substr(0, begin.find('\n')))) {
    return told({"", "stacks, as export_stacks writes them: sums without steps or kernels"});
  }
  const bool binary = is_binary(begin) || (!json && begin.find('\0') != std::string_view::npos);
  return binary ? told({"", "a binary file, which is neither gzip nor text"}) : std::string();
}

}  // namespace foretrain
