# Runs inside oneDNN's own configure step (through CMAKE_PROJECT_INCLUDE): takes the sources of primitives that
# ONEDNN_ENABLE_PRIMITIVE switches off out of the build. oneDNN compiles them all and lets the linker drop them.
# The *_list.cpp files stay: they are what names the enabled implementations.

function(onefold_trim_onednn_target target)
    if(NOT TARGET ${target})
        return()
    endif()
    get_target_property(sources ${target} SOURCES)
    foreach(source IN LISTS sources)
        if(source MATCHES "_list\\.cpp$" OR source MATCHES "/cpu_concat\\.cpp$" OR source MATCHES "_convert_[^/]*$")
            continue()
        endif()
        if(source MATCHES "/(rnn|brgemm|gemm|matmul)/" OR source MATCHES
           "/[^/]*(conv|deconv|rnn|lrn|prelu|shuffle|inner_product|resampling|batch_norm|group_norm|matmul|amx|brdgmm)[^/]*$")
            list(APPEND unused ${source})
        endif()
    endforeach()
    set_source_files_properties(${unused} TARGET_DIRECTORY ${target} PROPERTIES HEADER_FILE_ONLY ON)
    list(LENGTH sources all)
    list(LENGTH unused trimmed)
    message(STATUS "onefold: ${target}: ${trimmed} of ${all} files belong to primitives that are switched off")
endfunction()

function(onefold_trim_onednn)
    onefold_trim_onednn_target(dnnl_cpu)
    onefold_trim_onednn_target(dnnl_cpu_x64)
endfunction()

if(CMAKE_CURRENT_SOURCE_DIR STREQUAL CMAKE_SOURCE_DIR)
    cmake_language(DEFER DIRECTORY ${CMAKE_SOURCE_DIR} CALL onefold_trim_onednn)
endif()
