# Installing: the program, the libraries (all rooms but app, which serves the program alone),
# their headers, and a package, so that another project writes
#   find_package(drover REQUIRED)
#   target_link_libraries(my_program PRIVATE drover::drover)
# or, for arrays over devices and derivatives alone, which need none of chemistry's packages,
#   find_package(drover REQUIRED COMPONENTS mesh ad)
#   target_link_libraries(my_program PRIVATE drover::mesh drover::ad)
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

add_library(drover_all INTERFACE)
target_link_libraries(drover_all INTERFACE drover_vmc)
set_target_properties(drover_all PROPERTIES EXPORT_NAME drover)

foreach(room core mesh ad chem wave vmc)
  set_target_properties(drover_${room} PROPERTIES EXPORT_NAME ${room})
endforeach()
# Two sets, so that who asks for the first alone is not asked for the second's packages.
install(TARGETS drover_options drover_core drover_mesh drover_ad EXPORT drover_arrays)
install(TARGETS drover_all drover_hdf5 drover_chem drover_wave drover_vmc
  EXPORT drover_molecules)
install(DIRECTORY drover DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.hpp" PATTERN "app" EXCLUDE)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/drover)
foreach(set arrays molecules)
  install(EXPORT drover_${set} NAMESPACE drover:: DESTINATION ${package_folder})
endforeach()
configure_package_config_file(cmake/droverConfig.cmake.in droverConfig.cmake
  INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(droverConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/droverConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/droverConfigVersion.cmake DESTINATION ${package_folder})
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

if(TARGET drover_program)
  install(TARGETS drover_program RUNTIME)
endif()
