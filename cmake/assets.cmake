# headlight_assets: tells the program where its files and the system's fonts are ("assets/assets.h").

# The first of the named files found under the usual font folders; -D<variable>=FILE chooses another.
function(headlight_font variable font package)
  find_file(${variable} NAMES ${ARGN} NO_DEFAULT_PATH DOC "${font}"
    PATHS /usr/share/fonts /usr/local/share/fonts $ENV{HOME}/.local/share/fonts
    PATH_SUFFIXES
      opentype/inter truetype/inter inter rsms-inter-fonts
      truetype/jetbrains-mono jetbrains-mono jetbrains-mono-fonts
      truetype/noto noto google-noto google-noto-fonts
      truetype opentype TTF OTF)
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
  JetBrainsMono-Regular.ttf JetBrainsMono-Regular.otf)
headlight_font(HEADLIGHT_FONT_MATH "Noto Sans Math Regular" fonts-noto-core
  NotoSansMath-Regular.ttf NotoSansMath-Regular.otf)

configure_file(${PROJECT_SOURCE_DIR}/cmake/assets/assets.cpp.in ${PROJECT_BINARY_DIR}/assets.cpp @ONLY)
add_library(headlight_assets STATIC ${PROJECT_BINARY_DIR}/assets.cpp)
target_include_directories(headlight_assets PUBLIC ${PROJECT_SOURCE_DIR}/cmake)
target_link_libraries(headlight_assets PRIVATE headlight_warnings)
