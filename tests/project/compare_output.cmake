# Runs PROGRAM, which must succeed and print exactly what the file EXPECTED holds.
execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE found ERROR_VARIABLE errors
  RESULT_VARIABLE code)
file(READ ${EXPECTED} expected)
if(NOT code STREQUAL "0")
  message(FATAL_ERROR "${PROGRAM} ended with ${code}:\n${found}${errors}")
endif()
if(NOT found STREQUAL expected)
  message(FATAL_ERROR "${PROGRAM} printed\n${found}\nexpected, as in ${EXPECTED},\n${expected}")
endif()
