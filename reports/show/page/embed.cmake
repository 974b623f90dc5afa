# Writes the parts of pages as C++: cmake -DSCRIPT= -DSERVE= -DSOURCE= -DOUT= -P embed.cmake
# SCRIPT, SERVE: bundles of reports, of the served page. SOURCE: folder of styles, documents.
file(READ "${SCRIPT}" page_script)
file(READ "${SERVE}" serve_script)
file(READ "${SOURCE}/page.css" page_style)
file(READ "${SOURCE}/dark.css" page_dark_style)
file(READ "${SOURCE}/serve.css" serve_style)
file(READ "${SOURCE}/serve.html" serve_document)
set(functions "")
foreach(text page_script page_style page_dark_style serve_script serve_style serve_document)
  # A raw string can contain anything except its delimiter.
  string(FIND "${${text}}" ")~page~\"" end)
  if(NOT end EQUAL -1)
    message(FATAL_ERROR "${text} holds the end of the string that would hold it")
  endif()
  string(APPEND functions "std::string_view ${text}() { return R\"~page~(${${text}})~page~\"; }\n")
endforeach()
file(WRITE "${OUT}" "// Written by reports/show/page/embed.cmake.
#include \"reports/show/page/assets.h\"

namespace foretrain {

${functions}
}  // namespace foretrain
")
