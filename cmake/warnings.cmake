# ONEFOLD_WARNINGS: the warnings that all code holds, with g++ 12 and later and clang 14 and later.
set(ONEFOLD_WARNINGS
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wcast-qual -Wcast-align -Wformat=2
    -Wimplicit-fallthrough -Wundef
    $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
    $<$<COMPILE_LANGUAGE:CXX>:-Wold-style-cast>
    $<$<COMPILE_LANGUAGE:CXX>:-Woverloaded-virtual>
    $<$<COMPILE_LANGUAGE:CXX>:-Wextra-semi>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    list(APPEND ONEFOLD_WARNINGS -Wduplicated-cond -Wlogical-op)
    # These follow the optimiser's mood, and accuse std::string, std::optional and branches that are never taken.
    list(APPEND ONEFOLD_WARNINGS -Wno-maybe-uninitialized -Wno-array-bounds)
    if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
        list(APPEND ONEFOLD_WARNINGS -Wno-restrict) # g++ 12 sees it in every "text" + std::string (GCC bug 105651)
    endif()
endif()
if(ONEFOLD_WARNINGS_AS_ERRORS)
    list(APPEND ONEFOLD_WARNINGS -Werror)
endif()

# Atomic fences, which oneTBB's headers use, are nothing that g++'s thread sanitizer follows, and it says so at each.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND ONEFOLD_SANITIZE MATCHES "thread")
    list(APPEND ONEFOLD_WARNINGS -Wno-tsan)
endif()
