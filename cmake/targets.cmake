# How every target of the project is compiled, and helpers that make the targets.
include(warnings)

# The usage requirements that all of the project's own targets share.
add_library(onefold_options INTERFACE)
target_compile_features(onefold_options INTERFACE cxx_std_20 c_std_11)
target_include_directories(onefold_options INTERFACE ${PROJECT_SOURCE_DIR}/include)
target_compile_options(onefold_options INTERFACE ${ONEFOLD_WARNINGS})
target_compile_definitions(onefold_options INTERFACE $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)
if(ONEFOLD_SANITIZE)
    target_compile_options(onefold_options INTERFACE
        -fsanitize=${ONEFOLD_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(onefold_options INTERFACE -fsanitize=${ONEFOLD_SANITIZE})
endif()
if(ONEFOLD_FUZZ)
    target_compile_options(onefold_options INTERFACE -fsanitize=fuzzer-no-link) # what the fuzzer sees of the code it runs
endif()

# C++20 without GNU extensions, hidden symbols, position independent code.
function(onefold_set_properties target)
    set_target_properties(${target} PROPERTIES
        CXX_EXTENSIONS OFF
        C_EXTENSIONS OFF
        CXX_VISIBILITY_PRESET hidden
        C_VISIBILITY_PRESET hidden
        VISIBILITY_INLINES_HIDDEN ON
        POSITION_INDEPENDENT_CODE ON)
endfunction()

# onefold_add_part(NAME FOLDER [PUBLIC] LIBRARIES... [PRIVATE LIBRARIES...])
# A static library onefold_NAME of the sources in FOLDER, for the library, the driver and the unit tests.
# Internal headers are included as "folder/file.hpp", relative to src/ or to the top of the tree.
function(onefold_add_part name folder)
    cmake_parse_arguments(PARSE_ARGV 2 part "" "" "PUBLIC;PRIVATE")
    file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp ${folder}/*.hpp ${folder}/*.h)
    add_library(onefold_${name} STATIC ${sources})
    onefold_set_properties(onefold_${name})
    target_include_directories(onefold_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
    target_link_libraries(onefold_${name} PUBLIC onefold_options ${part_PUBLIC} PRIVATE ${part_PRIVATE})
endfunction()

# onefold_add_program(NAME SOURCES... ) with the project's options.
function(onefold_add_program name)
    add_executable(${name} ${ARGN})
    onefold_set_properties(${name})
    target_link_libraries(${name} PRIVATE onefold_options)
endfunction()
