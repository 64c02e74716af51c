# Targets for those who work on onefold: format and tidy.
find_program(ONEFOLD_CLANG_FORMAT NAMES clang-format-14 clang-format)
find_program(ONEFOLD_RUN_CLANG_TIDY NAMES run-clang-tidy-14 run-clang-tidy)

if(ONEFOLD_CLANG_FORMAT)
    add_custom_target(format
        COMMAND ${PROJECT_SOURCE_DIR}/tests/style/format.py --fix --clang-format ${ONEFOLD_CLANG_FORMAT}
        COMMENT "Formatting the sources" VERBATIM)
endif()
if(ONEFOLD_RUN_CLANG_TIDY)
    add_custom_target(tidy
        COMMAND ${ONEFOLD_RUN_CLANG_TIDY} -quiet -p ${PROJECT_BINARY_DIR} "^${PROJECT_SOURCE_DIR}/(src|partitions|tests|examples|integrations)/"
        COMMENT "Running clang-tidy" VERBATIM)
endif()
