# The command itself, as a user runs it.
add_test(NAME tools.version COMMAND signet_tool --version)
set_tests_properties(tools.version PROPERTIES PASS_REGULAR_EXPRESSION "^signet ${PROJECT_VERSION}")
add_test(NAME tools.help COMMAND signet_tool --help)
set_tests_properties(tools.help PROPERTIES PASS_REGULAR_EXPRESSION "Usage: signet COMMAND")
add_test(NAME tools.unknown COMMAND signet_tool nonsense)
set_tests_properties(tools.unknown PROPERTIES
                     PASS_REGULAR_EXPRESSION "there is no command 'nonsense'")

add_test(NAME tools.help_command COMMAND signet_tool help ping)
set_tests_properties(tools.help_command PROPERTIES PASS_REGULAR_EXPRESSION "^Usage: signet ping")
add_test(NAME tools.handler_unknown
         COMMAND sh -c "$<TARGET_FILE:signet_tool> ping -m v2:127.0.0.1:1 -n client.a --handler foo; test $? = 2")

add_test(NAME tools.handlers COMMAND signet_tool handlers)
set_tests_properties(tools.handlers PROPERTIES
                     PASS_REGULAR_EXPRESSION "openssl.*self-test +passed")

# Commands that run inside the test program.
foreach(name keys_test decode_test ping_test)
    signet_test(${name} SOURCES unit/${name}.c)
    target_link_libraries(${name} PRIVATE signet_tool_objects signet_lite)
endforeach()
# It decodes ten thousand damaged streams, which sanitizers and a busy machine make slow.
foreach(handler ${TEST_HANDLERS})
    set_tests_properties(decode_test.${handler} PROPERTIES TIMEOUT 480)
endforeach()
signet_test(bench_test PLAIN SOURCES unit/bench_test.c)
target_link_libraries(bench_test PRIVATE signet_tool_objects signet_lite)
signet_test(bench_trouble_test SOURCES unit/bench_trouble_test.c unit/bench_stage.c)
target_link_libraries(bench_trouble_test PRIVATE signet_tool_objects signet_lite)
signet_test(conf_test PLAIN SOURCES unit/conf_test.c)
target_link_libraries(conf_test PRIVATE signet_tool_objects signet_lite)

# Programs that run the command find it through SIGNET_TOOL.
foreach(name authtool_test authtool_options_test)
    signet_test(${name} PLAIN SOURCES unit/${name}.c)
    add_dependencies(${name} signet_tool)
    set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT "SIGNET_TOOL=$<TARGET_FILE:signet_tool>")
endforeach()

# Parts of the daemon.
foreach(name daemon_notify_test daemon_log_test daemon_log_ring_test daemon_config_test daemon_ctl_test daemon_state_test)
    signet_test(${name} PLAIN SOURCES unit/${name}.c)
    target_link_libraries(${name} PRIVATE signetd_objects)
endforeach()
signet_test(daemon_metrics_test SOURCES unit/daemon_metrics_test.c)
target_link_libraries(daemon_metrics_test PRIVATE signetd_objects)

# What it says of wrong options and of files that are not there.
add_test(NAME tools.messages COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scenario/tool_messages.sh
                                     $<TARGET_FILE:signet_tool>)
