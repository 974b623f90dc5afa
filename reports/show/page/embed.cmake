# Writes the page's script, styles as a source file:
# cmake -DSCRIPT= -DSTYLE= -DDARK= -DOUT= -P embed.cmake
file(READ "${SCRIPT}" script)
file(READ "${STYLE}" style)
file(READ "${DARK}" dark)
# Raw strings may hold anything but their own end.
foreach(text script style dark)
  string(FIND "${${text}}" ")~page~\"" end)
  if(NOT end EQUAL -1)
    message(FATAL_ERROR "the ${text} holds the end of the string that would hold it")
  endif()
endforeach()
file(WRITE "${OUT}" "// Written by reports/show/page/embed.cmake.
#include \"reports/show/page/assets.h\"

namespace foretrain {

std::string_view page_script() { return R\"~page~(${script})~page~\"; }
std::string_view page_style() { return R\"~page~(${style})~page~\"; }
std::string_view page_dark_style() { return R\"~page~(${dark})~page~\"; }

}  // namespace foretrain
")
