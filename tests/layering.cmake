# Holds every #include in app/ and engine/ against the architecture.
#   cmake -DROOT=<source tree> -P layering.cmake                   checks the tree
#   cmake -DROOT=<source tree> -DSCRATCH=<folder> -P layering.cmake   checks that bad includes are caught
#
# Which of our folders a folder may include is read from the NEEDS in CMakeLists.txt, or in its own
# where it is a screen: those that it names itself. What they need in turn it may not: the compiler
# would find it all the same.
# Everything else is listed here, first match wins: header, who may include it, the rule in words.
cmake_minimum_required(VERSION 3.22)

set(engine_or_its_readers "^(engine|app/state|app/screens/[^/]+|app/cli)/")
set(table
  "^fstream$"         "^app/ui/font_file[.]cpp$"                              "files are read and written through app/disk"
  "^[a-z_]+$"         "."                                                     "the standard library is for all"
  "^Eigen/"           "${engine_or_its_readers}"                              "Eigen is for the engine and who reads its results"
  "^(dnnl[.]hpp|omp[.]h)$"  "^engine/kernels/onednn[.]cpp$"                   "oneDNN and its OpenMP stay in engine/kernels/onednn.cpp"
  "^stb_"             "^(engine/image/decode|app/figure/png)[.]cpp$"          "stb stays in engine/image/decode.cpp and app/figure/png.cpp"
  "^(jpeglib|jerror)[.]h$"  "^engine/image/jpeg[.]cpp$"                       "libjpeg-turbo stays in engine/image/jpeg.cpp"
  "^webp/"            "^engine/image/webp[.]cpp$"                             "libwebp stays in engine/image/webp.cpp"
  "^tiffio[.]h$"      "^engine/image/tiff[.]cpp$"                             "libtiff stays in engine/image/tiff.cpp"
  "^avif/"            "^engine/image/avif[.]cpp$"                             "libavif stays in engine/image/avif.cpp"
  "^libheif/"         "^engine/image/heic[.]cpp$"                             "libheif stays in engine/image/heic.cpp"
  "^curl/"            "^app/hub/curl/transport[.]cpp$"                         "libcurl stays in app/hub/curl/transport.cpp"
  "^openssl/"         "^app/hub/curl/digest[.]cpp$"                            "libcrypto stays in app/hub/curl/digest.cpp"
  "^dlfcn[.]h$"       "^app/figure/librsvg/"                                  "cairo and librsvg are looked for in app/figure/librsvg"
  "^md4c[.]h$"        "^app/lessons/markdown[.]cpp$"                          "CommonMark is read in app/lessons/markdown.cpp"
  "^nlohmann/"        "^(engine/(json|checkpoint/files|scene)|app/(state|cli|script))/"  "JSON is for engine/json, engine/checkpoint/files, engine/scene, app/state, app/cli and app/script"
  "^zlib[.]h$"        "^(engine/checkpoint/files/zip|app/figure/png|app/application/link)[.]cpp$"    "zlib stays in engine/checkpoint/files/zip.cpp, app/figure/png.cpp and app/application/link.cpp"
  "^(epoxy|GLES3)/"   "^app/gl/api[.]h$"                                      "GL is included through gl/api.h"
  "^glm/"             "^app/(gl|ui)/"                                         "glm is for app/gl and app/ui"
  "^gl/api[.]h$"      "^app/(gl|platform)/"                                   "GL is called in app/gl and app/platform"
  "^GLFW/"            "^app/platform/desktop/"                                "GLFW is for app/platform/desktop"
  "^emscripten/"      "^app/(platform|hub)/web/"                              "the browser is for app/platform/web and app/hub/web"
  "^imgui_impl_"      "^app/platform/"                                        "ImGui's backends are for app/platform"
  "^imgui"            "^app/(ui|screens/[^/]+|platform)/"                     "ImGui is for app/ui, app/screens and app/platform"
  "^fmt/"             "^app/"                                                 "fmt is for the program"
  "^CLI/"             "^app/(cli/|main[.]cpp$)"                               "CLI11 is for app/cli and main.cpp"
  "^assets/"          "^app/(screens/chrome|lecture|application|script)/|^app/(state/(portable_files|first_state)|platform/fonts)[.]cpp$" "assets are found by app/screens/chrome, app/lecture, app/application, app/script, app/platform/fonts and two files of app/state"
  "^shaders/"         "^app/gl/"                                              "shaders are for app/gl"
  "^classes/"         "^engine/checkpoint/model/"                             "names of classes are for engine/checkpoint/model"
  "^malloc[.]h$"      "^app/main[.]cpp$"                                      "how the program's memory is kept is for main.cpp"
  "^(execinfo|sys/resource)[.]h$" "^app/main[.]cpp$"                          "and so is what happens where it ends"
  "^(sys/[a-z]+|mach-o/dyld|unistd|fcntl|poll|signal|io|windows|winhttp|bcrypt)[.]h$"  "^(engine/(system/[a-z]+/[^/]+|kernels/recycle)|app/hub/windows/[^/]+)[.]cpp$"
    "the operating system is called from engine/system, app/hub/windows and engine/kernels/recycle.cpp")

# Text that only some files may contain: pattern, who may, the rule.
set(phrases
  "__(EMSCRIPTEN|wasm)"  "^(app/gl/api[.]h|engine/kernels/(product|tiled)[.]cpp)$"  "what differs in the browser is in folders named web, gl/api.h and the products"
  "DrawList"          "^app/ui/"                                              "views draw on a ui::Canvas"
  "(directory_iterator|(fs|filesystem)::(exists|is_regular_file|is_directory|file_size|last_write_time|current_path|rename|create_director))"
    "^(app/(disk|cli)/|app/main[.]cpp$|engine/)"                              "the file system is asked in app/disk")

# reach_<folder>: the folders whose headers it may include, itself first.
function(read_modules)
  file(READ ${ROOT}/CMakeLists.txt text)
  file(GLOB screens ${ROOT}/app/screens/*/CMakeLists.txt)
  set(screen_names "")
  foreach(screen IN LISTS screens)
    file(READ ${screen} own)
    string(APPEND text "${own}")
    string(REGEX REPLACE "^.*/([^/]+)/CMakeLists[.]txt$" "\\1" name ${screen})
    list(APPEND screen_names ${name})
  endforeach()
  list(JOIN screen_names " " screen_names)
  string(REPLACE "\${screens}" "${screen_names}" text "${text}")
  string(REGEX MATCHALL "headlight_module\\([^)]*\\)" modules "${text}")
  foreach(module IN LISTS modules)
    string(REGEX REPLACE "headlight_module\\(|\\)" "" module "${module}")
    string(REGEX REPLACE "[ \n]+" ";" module "${module}")
    cmake_parse_arguments(arg "OWN_FLAGS" "SHARES;WITH" "NEEDS;USES;HIDES;PRECOMPILES" ${module})
    get_filename_component(name "${arg_UNPARSED_ARGUMENTS}" NAME)
    set(reach_${name} ${name} ${arg_NEEDS} PARENT_SCOPE)
    list(APPEND names ${name})
  endforeach()
  set(reach_app ${names} PARENT_SCOPE)  # for main.cpp
endfunction()

# The rule that `file` breaks by including `token` (with quotes or brackets); otherwise empty.
function(broken_rule file token result)
  set(${result} "" PARENT_SCOPE)
  string(REGEX REPLACE "[<>\"]" "" header "${token}")
  if(header MATCHES "(^|/)[.][.]?/")
    set(${result} "name our headers from their folder, \"folder/file.h\"" PARENT_SCOPE)
    return()
  endif()
  set(rows ${table})
  while(rows)
    list(POP_FRONT rows pattern allowed rule)
    if(header MATCHES "${pattern}")
      if(NOT file MATCHES "${allowed}")
        set(${result} "${rule}" PARENT_SCOPE)
      endif()
      return()
    endif()
  endwhile()
  get_filename_component(here "${file}" DIRECTORY)
  string(REGEX REPLACE "/(desktop|web|posix|windows|librsvg|no_librsvg|curl)$" "" here "${here}") # one folder for each system
  get_filename_component(here "${here}" NAME)
  string(REGEX REPLACE "/.*$" "" there "${header}")
  if(NOT token MATCHES "^\"" OR NOT DEFINED reach_${there})
    set(${result} "neither one of our folders nor a library in tests/layering.cmake" PARENT_SCOPE)
  elseif(NOT there IN_LIST reach_${here})
    set(${result} "${here} does not name ${there} in its NEEDS" PARENT_SCOPE)
  endif()
endfunction()

# Reports forbidden text in `text`; counts into `broken`.
function(check_phrases file text)
  set(rows ${phrases})
  while(rows)
    list(POP_FRONT rows pattern allowed rule)
    if(NOT file MATCHES "${allowed}" AND text MATCHES "${pattern}")
      message("${file}: ${CMAKE_MATCH_0}: ${rule}")
      math(EXPR broken "${broken} + 1")
    endif()
  endwhile()
  set(broken ${broken} PARENT_SCOPE)
endfunction()

function(check_tree)
  read_modules()
  set(broken 0)
  file(GLOB_RECURSE files RELATIVE ${ROOT} ${ROOT}/app/*.h ${ROOT}/app/*.cpp ${ROOT}/engine/*.h ${ROOT}/engine/*.cpp)
  foreach(file IN LISTS files)
    file(READ ${ROOT}/${file} text)
    check_phrases("${file}" "${text}")
    set(text "\n${text}")
    string(REGEX MATCHALL "\n[ \t]*#[ \t]*include[ \t]*[^ \t\n]+" includes "${text}")
    foreach(include IN LISTS includes)
      string(REGEX REPLACE "^.*include[ \t]*" "" token "${include}")
      broken_rule(${file} "${token}" rule)
      if(rule)
        string(FIND "${text}" "${include}" position)
        string(SUBSTRING "${text}" 0 ${position} before)
        string(REGEX MATCHALL "\n" lines "${before}")
        list(LENGTH lines line)
        math(EXPR line "${line} + 1")
        message("${file}:${line}: ${token}: ${rule}")
        math(EXPR broken "${broken} + 1")
      endif()
    endforeach()
  endforeach()
  list(LENGTH files count)
  if(broken)
    message(FATAL_ERROR "${broken} includes or phrases break the architecture")
  elseif(NOT count)
    message(FATAL_ERROR "no sources under ${ROOT}")
  endif()
  message("${count} files, every include as the architecture says")
endfunction()

# Creates a small tree with one include per file, and runs this script on it.
function(write_includes)
  foreach(case IN LISTS ARGN)
    string(REGEX MATCH "^([^ ]+) (.*)$" matched "${case}")
    file(WRITE ${SCRATCH}/${CMAKE_MATCH_1} "// Notes; [\n#include ${CMAKE_MATCH_2}  // why\n")
  endforeach()
endfunction()

function(run_on_scratch status output)
  execute_process(COMMAND ${CMAKE_COMMAND} -DROOT=${SCRATCH} -P ${CMAKE_CURRENT_LIST_FILE}
    RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE text)
  set(${status} ${result} PARENT_SCOPE)
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

function(check_that_bad_includes_are_caught)
  set(good
    "engine/kernels/a.h <Eigen/Core>"       "engine/image/a.cpp \"kernels/matrix.h\""
    "engine/image/decode.cpp <stb_image.h>" "app/state/a.cpp <nlohmann/json.hpp>"
    "app/gl/api.h <epoxy/gl.h>"             "app/screens/walk/a.cpp \"frame/frame.h\""
    "app/platform/desktop/a.cpp <GLFW/glfw3.h>"     "app/main.cpp \"cli/cli.h\""
    "engine/checkpoint/families/a.cpp \"model/model.h\"")
  set(bad
    "engine/kernels/b.h \"encoder/runner.h\""  "engine/trace/b.cpp <imgui.h>"
    "engine/analysis/b.cpp <GLFW/glfw3.h>"     "engine/image/b.cpp <stb_image.h>"
    "engine/trace/c.cpp <nlohmann/json.hpp>"   "engine/patches/b.cpp \"state/state.h\""
    "app/state/b.h \"window/content.h\""       "app/state/c.cpp <imgui.h>"
    "app/gl/b.h \"kernels/matrix.h\""          "app/ui/b.cpp <epoxy/gl.h>"
    "app/screens/walk/b.cpp \"gl/api.h\""      "app/screens/walk/c.cpp \"../ui/theme.h\""
    "app/ui/c.cpp \"trace/trace.h\""           "app/cli/b.cpp <GLFW/glfw3.h>"
    "app/cli/c.cpp \"window/content.h\""       "app/screens/walk/d.cpp \"walk.h\""
    "app/state/d.cpp <kernels/matrix.h>"       "app/cli/d.cpp CHOSEN_HEADER"
    # Indirect needs, past the folder that is named.
    "engine/encoder/b.cpp \"scene/shapes.h\""  "app/screens/walk/e.cpp \"model/model.h\""
    "app/screens/walk/f.cpp \"gl/heatmap.h\""
    # Screens must not include each other.
    "app/screens/walk/g.cpp \"chrome/chrome.h\""   "app/screens/walk/h.cpp \"scenes/shapes.h\""
    "app/screens/scenes/b.cpp \"walk/walk.h\""     "app/screens/frame/b.cpp \"scenes/shapes.h\""
    "app/screens/chrome/b.cpp \"window/content.h\""
    "engine/checkpoint/files/b.cpp \"model/model.h\""  "engine/checkpoint/families/b.cpp <zlib.h>"
    "app/cli/e.cpp <curl/curl.h>"              "app/hub/b.cpp <openssl/evp.h>"
    "app/hub/c.cpp \"state/state.h\"")

  file(REMOVE_RECURSE ${SCRATCH})
  file(GLOB lists RELATIVE ${ROOT} ${ROOT}/CMakeLists.txt ${ROOT}/app/screens/*/CMakeLists.txt)
  foreach(list IN LISTS lists)
    configure_file(${ROOT}/${list} ${SCRATCH}/${list} COPYONLY)
  endforeach()
  write_includes(${good})
  run_on_scratch(status output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "good includes are refused:\n${output}")
  endif()

  write_includes(${bad})
  run_on_scratch(status output)
  if(status EQUAL 0)
    message(FATAL_ERROR "bad includes pass")
  endif()
  file(WRITE ${SCRATCH}/app/screens/walk/painter.cpp "void f() { ImGui::GetWindowDrawList(); }\n")
  file(WRITE ${SCRATCH}/app/state/asker.cpp "bool f() { return std::filesystem::exists(\"a\"); }\n")
  file(WRITE ${SCRATCH}/app/ui/page.cpp "#ifdef __EMSCRIPTEN__\n#endif\n")
  run_on_scratch(status said)
  foreach(phrase "painter.cpp: DrawList" "asker.cpp: filesystem::exists" "page.cpp: __EMSCRIPTEN")
    string(FIND "${said}" "${phrase}" found)
    if(found EQUAL -1)
      message(FATAL_ERROR "not caught: ${phrase}\n${said}")
    endif()
  endforeach()
  foreach(case IN LISTS bad)
    string(REGEX REPLACE " .*$" "" file "${case}")
    string(FIND "${output}" "${file}:2: " found)
    if(found EQUAL -1)
      message(FATAL_ERROR "not caught: ${case}\n${output}")
    endif()
  endforeach()
  list(LENGTH bad count)
  message("${count} bad includes caught")
  file(REMOVE_RECURSE ${SCRATCH})
endfunction()

if(SCRATCH)
  check_that_bad_includes_are_caught()
else()
  check_tree()
endif()
