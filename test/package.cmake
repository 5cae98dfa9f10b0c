# The house itself: what is installed works for others, headers stand alone, names are kept.
set(PACKAGE_DIR ${CMAKE_CURRENT_SOURCE_DIR}/package)
add_test(NAME package.headers COMMAND ${PACKAGE_DIR}/headers.sh ${PROJECT_SOURCE_DIR}/include
         ${CMAKE_C_COMPILER} ${CMAKE_CXX_COMPILER})
add_test(NAME package.exports COMMAND ${PACKAGE_DIR}/exports.sh $<TARGET_FILE:signet>)
