# Bundles the scripts of pages: OUT for reports, SERVE for the served page.
# cmake -DSOURCE= -DBUILD= -DOUT= -DSERVE= -DNPM= -DNODE= -DWANTED= -P bundle.cmake
# Packages are installed in BUILD, so the sources stay unchanged. Without a network the build
# continues with static pictures, unless WANTED is ON.
set(log ${BUILD}/npm.log)
foreach(part package.json package-lock.json .npmrc bundle.mjs)
  file(COPY_FILE ${SOURCE}/${part} ${BUILD}/${part} ONLY_IF_DIFFERENT)
endforeach()
file(REMOVE_RECURSE ${BUILD}/src)
file(COPY ${SOURCE}/src DESTINATION ${BUILD})

# Packages are installed again only if the lock file has changed.
file(SHA256 ${SOURCE}/package-lock.json lock)
set(known "")
if(EXISTS ${BUILD}/node_modules/.foretrain)
  file(READ ${BUILD}/node_modules/.foretrain known)
endif()
set(failed 0)
if(NOT known STREQUAL lock)
  execute_process(COMMAND ${NPM} ci --ignore-scripts --prefer-offline --no-audit --no-fund
                  WORKING_DIRECTORY ${BUILD} RESULT_VARIABLE failed
                  OUTPUT_FILE ${log} ERROR_FILE ${log})
  if(failed EQUAL 0)
    file(WRITE ${BUILD}/node_modules/.foretrain ${lock})
  endif()
endif()
if(failed EQUAL 0)
  execute_process(COMMAND ${NODE} bundle.mjs src/main.js ${OUT} src/serve/main.js ${SERVE}
                  WORKING_DIRECTORY ${BUILD}
                  COMMAND_ERROR_IS_FATAL ANY)
elseif(WANTED STREQUAL "ON")
  message(FATAL_ERROR "npm ci failed, see ${log}; -DFORETRAIN_PAGE=AUTO builds without it")
else()
  message(WARNING "npm ci failed, see ${log}: the page of reports is built with still pictures. "
                  "To try again: touch ${SOURCE}/package.json, then build")
  file(WRITE ${OUT} "")
  file(WRITE ${SERVE} "")
endif()
