# Installing: the program, the libraries (all rooms but app, which serves the program alone),
# their headers, and a package, so that another project writes
#   find_package(drover REQUIRED)
#   target_link_libraries(my_program PRIVATE drover::drover)
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

add_library(drover_all INTERFACE)
target_link_libraries(drover_all INTERFACE drover_vmc)
set_target_properties(drover_all PROPERTIES EXPORT_NAME drover)

set(exported drover_all drover_options drover_hdf5)
foreach(room core mesh ad chem wave vmc)
  set_target_properties(drover_${room} PROPERTIES EXPORT_NAME ${room})
  list(APPEND exported drover_${room})
endforeach()
install(TARGETS ${exported} EXPORT drover_targets)
install(DIRECTORY drover DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.hpp" PATTERN "app" EXCLUDE)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/drover)
install(EXPORT drover_targets NAMESPACE drover:: DESTINATION ${package_folder})
configure_package_config_file(cmake/droverConfig.cmake.in droverConfig.cmake
  INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(droverConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/droverConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/droverConfigVersion.cmake DESTINATION ${package_folder})
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

if(TARGET drover_program)
  install(TARGETS drover_program RUNTIME)
endif()
