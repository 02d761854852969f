# The program as packages have it. A package holds it once for each level of processors, and the loader chooses
# (ld.so(8), glibc-hwcaps):
#
#   bin/headlight
#   lib/x86_64-linux-gnu/headlight/libheadlight.so                            any processor of this kind
#   lib/x86_64-linux-gnu/headlight/glibc-hwcaps/x86-64-v3/libheadlight.so     AVX2 and FMA
#   lib/x86_64-linux-gnu/headlight/glibc-hwcaps/x86-64-v4/libheadlight.so     AVX-512
#
# Each library is the whole program, compiled with one set of flags in a build folder of its own. So code for
# different processors never meets: the linker cannot keep the AVX2 copy of one of Eigen's or the standard library's
# templates for all. Nothing but headlight_main is visible in the libraries, for the same reason.

set(HEADLIGHT_OTHER_LEVELS "" CACHE STRING "Levels that the package of this build folder holds besides the base")

# `program` receives the target that app/main.cpp is compiled into.
function(headlight_library_and_start program)
  if(WIN32)
    headlight_dll_and_start()
    set(${program} headlight_whole PARENT_SCOPE)
    return()
  endif()
  include(GNUInstallDirs)
  set(exports ${PROJECT_SOURCE_DIR}/packaging/exports.map)
  set(libraries ${CMAKE_INSTALL_LIBDIR}/headlight)
  set(own_libraries ${libraries})
  if(NOT HEADLIGHT_LEVEL STREQUAL base)
    set(own_libraries ${libraries}/glibc-hwcaps/${HEADLIGHT_LEVEL})
  endif()
  add_library(headlight_whole SHARED app/main.cpp)
  target_compile_definitions(headlight_whole PRIVATE main=headlight_main)
  target_link_options(headlight_whole PRIVATE -Wl,--version-script=${exports})
  set_target_properties(headlight_whole PROPERTIES
    OUTPUT_NAME headlight LIBRARY_OUTPUT_DIRECTORY ${libraries} LINK_DEPENDS ${exports})
  install(TARGETS headlight_whole LIBRARY DESTINATION ${own_libraries} COMPONENT level)

  add_executable(headlight packaging/start.cpp)
  target_link_libraries(headlight PRIVATE headlight_whole)
  # The build folder has the package's layout, so that its path is not written into the program.
  set_target_properties(headlight PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY bin BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "\$ORIGIN/../${libraries}")
  set(${program} headlight_whole PARENT_SCOPE)
endfunction()

# The same in the folder for Windows (`./dev windows`), where headlight.exe chooses:
#
#   headlight.exe
#   lib/base/headlight.dll
#   lib/x86-64-v3/headlight.dll
#   share/headlight/…
#
# It needs no library that Windows does not have.
function(headlight_dll_and_start)
  set(own ${PROJECT_SOURCE_DIR}/packaging/windows)
  set(folder ${PROJECT_BINARY_DIR}/folder)
  add_library(headlight_whole MODULE app/main.cpp ${own}/exports.def)
  target_compile_definitions(headlight_whole PRIVATE main=headlight_main)
  target_link_options(headlight_whole PRIVATE -static -s -Wl,--exclude-all-symbols,--no-insert-timestamp)
  set_target_properties(headlight_whole PROPERTIES
    PREFIX "" OUTPUT_NAME headlight LIBRARY_OUTPUT_DIRECTORY ${folder}/lib/${HEADLIGHT_LEVEL})

  if(NOT HEADLIGHT_LEVEL STREQUAL base) # headlight.exe must run on any processor
    return()
  endif()
  enable_language(RC)
  configure_file(${own}/headlight.rc.in ${PROJECT_BINARY_DIR}/headlight.rc @ONLY)
  add_executable(headlight ${own}/start.cpp ${PROJECT_BINARY_DIR}/headlight.rc)
  target_link_options(headlight PRIVATE -static -s -Wl,--no-insert-timestamp,--stack,8388608) # bytes, as on Linux
  target_link_libraries(headlight PRIVATE headlight_system)
  add_dependencies(headlight headlight_whole)
  set_target_properties(headlight PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${folder})
endfunction()

# cpack's input: this build folder and those of the other levels, whose names are this one's plus
# the level. `./dev package` builds them all.
function(headlight_package)
  install(FILES CHANGELOG.md DESTINATION share/doc/headlight RENAME changelog)
  install(FILES packaging/copyright DESTINATION share/doc/headlight)

  set(CPACK_GENERATOR DEB)
  set(CPACK_INSTALL_CMAKE_PROJECTS "${PROJECT_BINARY_DIR};Headlight;ALL;/")
  foreach(level IN LISTS HEADLIGHT_OTHER_LEVELS)
    list(APPEND CPACK_INSTALL_CMAKE_PROJECTS "${PROJECT_BINARY_DIR}-${level};Headlight;level;/")
  endforeach()
  set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/packaging/stage.cmake)
  set(CPACK_PACKAGE_NAME headlight)
  # The address that the commits have. The project has no domain and nobody reads mail to this one.
  set(CPACK_PACKAGE_CONTACT "Headlight authors <maintainers@users.noreply.a-seed-dc048655.example>")
  set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "walk through a vision transformer's attention on an image")
  set(CPACK_PACKAGE_DESCRIPTION_FILE ${PROJECT_SOURCE_DIR}/packaging/description)
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  set(CPACK_STRIP_FILES ON)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_PACKAGE_RELEASE 0.1) # lower than a package by Debian would have
  set(CPACK_DEBIAN_PACKAGE_SECTION science)
  set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/packaging/prerm)
  set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  # Runtime dependencies found by name: fonts, and OpenGL through libepoxy.
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "fonts-inter, fonts-jetbrains-mono, fonts-noto-core, libgl1")
  # librsvg2-2 (with cairo) draws figures as PDF; it is looked for when it is needed.
  set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "ca-certificates, libheif-plugin-libde265, librsvg2-2, python3-numpy")
  set(CPACK_DEBIAN_PACKAGE_SUGGESTS "fonts-noto-cjk, xvfb")
  include(CPack)
endfunction()
