# cmake --install: the headers, the library, the program, the CMake package and the pkg-config file.
include(CMakePackageConfigHelpers)

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/onefold)
install(TARGETS onefold EXPORT onefoldTargets FILE_SET HEADERS)
install(EXPORT onefoldTargets NAMESPACE onefold:: DESTINATION ${config_dir})
configure_package_config_file(cmake/onefoldConfig.cmake.in onefoldConfig.cmake INSTALL_DESTINATION ${config_dir}
                              NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(onefoldConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/onefoldConfig.cmake ${PROJECT_BINARY_DIR}/onefoldConfigVersion.cmake
        DESTINATION ${config_dir})

# The .pc file finds its prefix from where it lies, so that an installed tree can be moved.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX} OUTPUT_VARIABLE pc_libdir)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_INCLUDEDIR BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX} OUTPUT_VARIABLE pc_includedir)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig OUTPUT_VARIABLE pc_prefix)
configure_file(cmake/onefold.pc.in onefold.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/onefold.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(TARGET onefold_driver)
    cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR BASE_DIRECTORY ${CMAKE_INSTALL_FULL_BINDIR} OUTPUT_VARIABLE bin_to_lib)
    set_target_properties(onefold_driver PROPERTIES INSTALL_RPATH "$ORIGIN/${bin_to_lib}")
    install(TARGETS onefold_driver)
endif()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
