# Scripts that run the programs as a user does. Label slow: the long form, by hand.
add_executable(mon_client scenario/mon_client.c)
target_link_libraries(mon_client PRIVATE signet_internal)
set_target_properties(mon_client PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test)

# scenario_test(NAME SCRIPT [ARGUMENT...])
function(scenario_test name script)
    add_test(NAME scenario.${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scenario/${script}
             $<TARGET_FILE:signet_tool> $<TARGET_FILE:signetd> $<TARGET_FILE:mon_client> ${ARGN})
    set_tests_properties(scenario.${name} PROPERTIES LABELS scenario TIMEOUT ${TEST_TIMEOUT})
endfunction()

scenario_test(demo demo.sh)
scenario_test(signetd.start signetd_start.sh)
scenario_test(signetd.refuse signetd_refuse.sh)
scenario_test(signetd.signals signetd_signals.sh)
scenario_test(signetd.ctl signetd_ctl.sh)
foreach(handler ${TEST_HANDLERS})
    scenario_test(signetd.ping.${handler} signetd_ping.sh ${handler})
endforeach()
scenario_test(signetd.kill signetd_kill.sh 60 6)
scenario_test(signetd.kill.long signetd_kill.sh 1000 40)
set_tests_properties(scenario.signetd.kill.long PROPERTIES LABELS "scenario;slow")
