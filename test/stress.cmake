signet_test(shared_key_test PLAIN SOURCES stress/shared_key_test.c stress/watch.c LABELS stress)
signet_test(shared_stream_test PLAIN SOURCES stress/shared_stream_test.c LABELS stress)
signet_test(fork_test SOURCES stress/fork_test.c LABELS stress)
foreach(handler ${TEST_HANDLERS})
    set_tests_properties(fork_test.${handler} PROPERTIES TIMEOUT 300)
endforeach()
# Sanitizers bring a malloc of their own.
if(NOT SIGNET_SANITIZE)
    signet_test(alloc_test SOURCES stress/alloc_test.c LABELS stress)
    target_link_options(alloc_test PRIVATE -Wl,--wrap=signet_secret_alloc)
endif()
signet_test(messenger_stress_test SOURCES stress/messenger_stress_test.c LABELS stress)
# As long as it was asked for.
foreach(handler ${TEST_HANDLERS})
    add_test(NAME messenger_stress_test.slow.${handler} COMMAND messenger_stress_test)
    set_tests_properties(messenger_stress_test.slow.${handler} PROPERTIES
        LABELS "stress;slow" TIMEOUT ${TEST_TIMEOUT} ENVIRONMENT
        "${TEST_ENVIRONMENT};SIGNET_TEST_HANDLER=${handler};SIGNET_STRESS_SECONDS=10")
endforeach()
signet_test(messenger_senders_test SOURCES stress/messenger_senders_test.c LABELS stress)
signet_test(messenger_deaf_test SOURCES stress/messenger_deaf_test.c LABELS stress)
signet_test(messenger_fork_test SOURCES stress/messenger_fork_test.c LABELS stress)
signet_test(session_thread_test SOURCES stress/session_thread_test.c LABELS stress)
