# What `cmake --install` puts into a prefix, beside the programs, which src/tools installs:
# the library, its headers, signet.pc, the package signet::signet and the manual pages.
install(TARGETS signet EXPORT signet LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        NAMELINK_COMPONENT dev)
install(DIRECTORY include/signet DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN *.h)
install(EXPORT signet NAMESPACE signet:: FILE signet-targets.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/signet)

configure_package_config_file(cmake/signet-config.cmake.in signet-config.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/signet)
# Before 1.0 a minor release may break its users.
write_basic_package_version_file(signet-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/signet-config.cmake
              ${PROJECT_BINARY_DIR}/signet-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/signet)

# The prefix is taken from where signet.pc lies, so that an installed tree can be moved.
file(RELATIVE_PATH SIGNET_PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/signet.pc.in signet.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/signet.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

file(GLOB SIGNET_MAN_PAGES CONFIGURE_DEPENDS doc/man/*.1)
install(FILES ${SIGNET_MAN_PAGES} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
file(GLOB SIGNET_ADMIN_PAGES CONFIGURE_DEPENDS doc/man/*.8)
install(FILES ${SIGNET_ADMIN_PAGES} DESTINATION ${CMAKE_INSTALL_MANDIR}/man8)
# The unit in the tree is that of a program below /usr; it gets the prefix of the installation.
install(CODE "
    file(READ \"${PROJECT_SOURCE_DIR}/doc/signetd.service\" unit)
    cmake_path(APPEND CMAKE_INSTALL_PREFIX \"${CMAKE_INSTALL_BINDIR}\" OUTPUT_VARIABLE bin)
    string(REPLACE =/usr/bin/ \"=\${bin}/\" unit \"\${unit}\")
    file(WRITE \"${PROJECT_BINARY_DIR}/signetd.service\" \"\${unit}\")")
install(FILES LICENSE ${PROJECT_BINARY_DIR}/signetd.service DESTINATION ${CMAKE_INSTALL_DOCDIR})
# Headers and manual pages name these.
install(DIRECTORY doc/ DESTINATION ${CMAKE_INSTALL_DOCDIR}
        FILES_MATCHING PATTERN *.md PATTERN performance* EXCLUDE PATTERN man EXCLUDE)
