# headlight_assets: the locations of the program's files and the system's fonts ("assets/assets.h").

# Finds the first of the named files in the usual font folders; -D<variable>=FILE chooses another.
macro(headlight_find_font variable font)
  find_file(${variable} NAMES ${ARGN} NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH DOC "${font}"
    PATHS /usr/share/fonts /usr/local/share/fonts $ENV{HOME}/.local/share/fonts $ENV{HOME}/Library/Fonts /Library/Fonts
    PATH_SUFFIXES
      opentype/inter truetype/inter inter rsms-inter-fonts
      truetype/jetbrains-mono jetbrains-mono jetbrains-mono-fonts
      truetype/noto opentype/noto noto google-noto google-noto-fonts noto-cjk google-noto-cjk
      google-noto-sans-cjk-fonts
      truetype opentype TTF OTF)
endmacro()

function(headlight_font variable font package)
  headlight_find_font(${variable} "${font}" ${ARGN})
  if(NOT ${variable})
    list(JOIN ARGN ", " names)
    message(FATAL_ERROR "The font ${font} (${names}) is not installed. On Debian and Ubuntu it is in "
      "the package ${package}; elsewhere, give its file as -D${variable}=FILE.")
  endif()
endfunction()

headlight_font(HEADLIGHT_FONT_REGULAR "Inter Regular" fonts-inter
  Inter-Regular.otf Inter-Regular.ttf InterVariable.ttf)
headlight_font(HEADLIGHT_FONT_SEMIBOLD "Inter SemiBold" fonts-inter
  Inter-SemiBold.otf Inter-SemiBold.ttf InterVariable.ttf)
headlight_font(HEADLIGHT_FONT_ITALIC "Inter Italic" fonts-inter
  Inter-Italic.otf Inter-Italic.ttf InterVariable-Italic.ttf)
headlight_font(HEADLIGHT_FONT_MONO "JetBrains Mono Regular" fonts-jetbrains-mono
  JetBrainsMono-Regular.ttf JetBrainsMono-Regular.otf JetBrainsMono[wght].ttf)
headlight_font(HEADLIGHT_FONT_MATH "Noto Sans Math Regular" fonts-noto-core
  NotoSansMath-Regular.ttf NotoSansMath-Regular.otf)
# Optional: without it, Chinese, Japanese and Korean characters in file names are empty squares.
headlight_find_font(HEADLIGHT_FONT_CJK "Noto Sans CJK Regular"
  NotoSansCJK-Regular.ttc NotoSansCJKjp-Regular.otf NotoSansCJK-VF.otf.ttc)
set(HEADLIGHT_FONT_CJK_FILE "${HEADLIGHT_FONT_CJK}")
if(NOT HEADLIGHT_FONT_CJK)
  set(HEADLIGHT_FONT_CJK_FILE "")
  message(STATUS "Without Noto Sans CJK (fonts-noto-cjk): its letters in file names are squares")
endif()

# The program of a package must not contain its build path, so that builds are reproducible.
set(HEADLIGHT_SOURCE_ASSETS ${PROJECT_SOURCE_DIR}/assets)
if(HEADLIGHT_LEVEL)
  set(HEADLIGHT_SOURCE_ASSETS "")
endif()
if(EMSCRIPTEN)
  # The page stores them there before the program starts (web.cmake).
  set(HEADLIGHT_SOURCE_ASSETS /headlight/assets)
  set(HEADLIGHT_FONT_CJK_FILE "")
  foreach(font REGULAR SEMIBOLD ITALIC MONO MATH)
    list(APPEND HEADLIGHT_FONT_FILES ${HEADLIGHT_FONT_${font}})
    get_filename_component(name ${HEADLIGHT_FONT_${font}} NAME)
    set(HEADLIGHT_FONT_${font} /headlight/fonts/${name}) # hides the cache variable
  endforeach()
endif()
configure_file(${PROJECT_SOURCE_DIR}/cmake/assets/assets.cpp.in ${PROJECT_BINARY_DIR}/assets.cpp @ONLY)
add_library(headlight_assets STATIC ${PROJECT_BINARY_DIR}/assets.cpp)
target_include_directories(headlight_assets PUBLIC ${PROJECT_SOURCE_DIR}/cmake)
target_link_libraries(headlight_assets PRIVATE headlight_system headlight_warnings)
