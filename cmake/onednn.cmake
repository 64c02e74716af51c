# Provides DNNL::dnnl: oneDNN >= 3.7, static, with the TBB runtime. Looked for in this order:
#   1. an installed package (dnnl_DIR and CMAKE_PREFIX_PATH count) that is all of that; distributions ship OpenMP builds
#   2. the cache outside the tree, see scripts/build_onednn
#   3. scripts/build_onednn builds it into that cache now, which takes minutes, once
# dnnl_DIR stays what the user made it: each configure looks again.

set(dnnl_dir_of_user $CACHE{dnnl_DIR})
add_subdirectory(${CMAKE_CURRENT_LIST_DIR}/find_onednn ${PROJECT_BINARY_DIR}/find_onednn)

if(NOT ONEFOLD_ONEDNN_CONFIG_DIR)
    # The compiler is left at the system's default: one build serves every preset and compiler, sanitizers included.
    execute_process(
        COMMAND ${CMAKE_COMMAND} -E env --unset=CXX --unset=CC --unset=CXXFLAGS --unset=CFLAGS --unset=CPPFLAGS --unset=LDFLAGS
                ${PROJECT_SOURCE_DIR}/scripts/build_onednn
        OUTPUT_VARIABLE prefix OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE result)
    if(NOT result EQUAL 0)
        message(FATAL_ERROR "scripts/build_onednn failed; its last lines, above, say why and which log to read")
    endif()
    set(ONEFOLD_ONEDNN_CONFIG_DIR ${prefix}/lib/cmake/dnnl)
endif()

set(dnnl_DIR ${ONEFOLD_ONEDNN_CONFIG_DIR})
find_package(dnnl 3.7 CONFIG REQUIRED QUIET)
message(STATUS "oneDNN ${dnnl_VERSION}: ${dnnl_DIR}")
unset(dnnl_DIR)
unset(dnnl_DIR CACHE)
if(dnnl_dir_of_user)
    set(dnnl_DIR ${dnnl_dir_of_user} CACHE PATH "Where dnnl-config.cmake of an installed oneDNN is")
endif()
