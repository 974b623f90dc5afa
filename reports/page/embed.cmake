# Writes the page's script and style as a source file: cmake -DSCRIPT= -DSTYLE= -DOUT= -P embed.cmake
file(READ "${SCRIPT}" script)
file(READ "${STYLE}" style)
# Raw strings may hold anything but their own end.
foreach(text script style)
  string(FIND "${${text}}" ")~page~\"" end)
  if(NOT end EQUAL -1)
    message(FATAL_ERROR "the ${text} holds the end of the string that would hold it")
  endif()
endforeach()
file(WRITE "${OUT}" "// Written by reports/page/embed.cmake.
#include \"reports/page/assets.h\"

namespace foretrain {

std::string_view page_script() { return R\"~page~(${script})~page~\"; }
std::string_view page_style() { return R\"~page~(${style})~page~\"; }

}  // namespace foretrain
")
