# The house itself: what is installed works for others, headers stand alone, names are kept.
set(PACKAGE_DIR ${CMAKE_CURRENT_SOURCE_DIR}/package)
add_test(NAME package.headers COMMAND ${PACKAGE_DIR}/headers.sh ${PROJECT_SOURCE_DIR}/include
         ${CMAKE_C_COMPILER} ${CMAKE_CXX_COMPILER})
add_test(NAME package.exports COMMAND ${PACKAGE_DIR}/exports.sh $<TARGET_FILE:signet>)
add_test(NAME package.man COMMAND ${PACKAGE_DIR}/man.sh $<TARGET_FILE:signet_tool>
         $<TARGET_FILE:signetd> ${PROJECT_SOURCE_DIR}/doc/man)
# A consumer would have to be built with the same sanitizers.
if(NOT SIGNET_SANITIZE)
    add_test(NAME package.install COMMAND ${PACKAGE_DIR}/install.sh ${PROJECT_BINARY_DIR}
             ${PROJECT_VERSION} ${CMAKE_C_COMPILER})
endif()
