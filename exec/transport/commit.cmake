# Writes OUT, a source that names the commit of ROOT; untouched where it says so already, so that
# only what changed is compiled. Run at every build:
#   cmake -DROOT=... -DOUT=... -DVERSION=... -DHOW="compiler, flags" -P
# The hash, not `git describe`: tags differ between clones of one commit.
cmake_minimum_required(VERSION 3.22)
set(git git -c safe.directory=* -C "${ROOT}")
set(code "*.cpp" "*.h" "*.cmake" "*CMakeLists.txt" ":!tests")

# digest OUT FILE...: of names and contents, of what is gone its name.
function(digest out)
  set(all "")
  foreach(file IN LISTS ARGN)
    set(hash gone)
    if(EXISTS "${ROOT}/${file}")
      file(SHA256 "${ROOT}/${file}" hash)
    endif()
    string(APPEND all "${file} ${hash}\n")
  endforeach()
  string(SHA256 all "${all}")
  string(SUBSTRING "${all}" 0 8 all)
  set(${out} "${all}" PARENT_SCOPE)
endfunction()

# ROOT may lie unpacked in somebody else's repository: it has to be tracked itself.
execute_process(COMMAND ${git} ls-files --error-unmatch CMakeLists.txt
                RESULT_VARIABLE untracked OUTPUT_QUIET ERROR_QUIET)
if(untracked EQUAL 0)
  execute_process(COMMAND ${git} rev-parse --short=12 HEAD
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE
                  RESULT_VARIABLE failed ERROR_QUIET)
endif()
if(untracked EQUAL 0 AND failed EQUAL 0)
  execute_process(COMMAND ${git} -c core.quotePath=off diff --name-only --no-renames --relative HEAD
                  -- ${code} OUTPUT_VARIABLE changed)
  execute_process(COMMAND ${git} -c core.quotePath=off ls-files --others --exclude-standard
                  -- ${code} OUTPUT_VARIABLE new)
  string(REGEX MATCHALL "[^\n]+" changed "${changed}${new}")
  if(changed)
    list(SORT changed)
    digest(differs ${changed})
    string(APPEND commit "-dirty.${differs}")
  endif()
else()
  file(GLOB_RECURSE sources RELATIVE "${ROOT}"
       "${ROOT}/models/*.cpp" "${ROOT}/models/*.h" "${ROOT}/scenarios/*.cpp" "${ROOT}/scenarios/*.h"
       "${ROOT}/reports/*.cpp" "${ROOT}/reports/*.h" "${ROOT}/sim/*.cpp" "${ROOT}/sim/*.h"
       "${ROOT}/exec/*.cpp" "${ROOT}/exec/*.h")
  list(SORT sources)
  digest(commit main.cpp ${sources})
  set(commit "sources.${commit}")
endif()

# What a calibration is of: sources whose speed it measures, that measure, that write it down.
file(GLOB_RECURSE measured RELATIVE "${ROOT}"
     "${ROOT}/models/*.cpp" "${ROOT}/models/*.h"
     "${ROOT}/exec/calibration/*.cpp" "${ROOT}/exec/calibration/*.h"
     "${ROOT}/exec/checkpoint/durable_file.*" "${ROOT}/exec/checkpoint/node_part.*"
     "${ROOT}/exec/driver/*.cpp" "${ROOT}/exec/driver/*.h"
     "${ROOT}/exec/system/*.cpp" "${ROOT}/exec/system/*.h"
     "${ROOT}/exec/transport/*.cpp" "${ROOT}/exec/transport/*.h"
     "${ROOT}/scenarios/spec/machine.cpp" "${ROOT}/scenarios/spec/machine.h"
     "${ROOT}/scenarios/spec/disk.h" "${ROOT}/scenarios/library/machine_file.cpp"
     "${ROOT}/scenarios/spec/machine_fields.h" "${ROOT}/scenarios/spec/memory_fields.h"
     "${ROOT}/scenarios/spec/model_cost_fields.h"
     "${ROOT}/scenarios/spec/transport_cost_fields.h")
list(SORT measured)
digest(measured ${measured})
string(SHA256 measured "${measured} ${HOW}")
string(SUBSTRING "${measured}" 0 12 measured)

file(CONFIGURE OUTPUT "${OUT}" @ONLY CONTENT "// Written at every build by exec/transport/commit.cmake.
#include \"exec/transport/build_name.h\"

namespace foretrain::exec {
const char* const kCommit = \"@commit@\";
const char* const kVersion = \"@VERSION@\";
const char* const kMeasured = \"@measured@\";
}  // namespace foretrain::exec
")
