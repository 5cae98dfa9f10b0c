signet_test(key_test SOURCES unit/key_test.c)
signet_test(envelope_test SOURCES unit/envelope_test.c)
signet_test(stream_test SOURCES unit/stream_test.c)
signet_test(nss_handler_test PLAIN SOURCES unit/nss_handler_test.c)
signet_test(nss_host_test PLAIN SOURCES unit/nss_host_test.c)
signet_test(nss_gate_test PLAIN SOURCES unit/nss_gate_test.c)
signet_test(type1_test PLAIN SOURCES unit/type1_test.c)
signet_test(thread_index_test SOURCES unit/thread_index_test.c)
signet_test(registry_test SOURCES unit/registry_test.c)
signet_test(registry_fault_test PLAIN SOURCES unit/registry_fault_test.c)
signet_test(ceph16_crypto_test SOURCES unit/ceph16_crypto_test.c)
signet_test(nist_test SOURCES unit/nist_test.c)
signet_test(plain_calls_test SOURCES unit/plain_calls_test.c)
signet_test(openssl_handler_test PLAIN SOURCES unit/openssl_handler_test.c)
target_link_libraries(openssl_handler_test PRIVATE PkgConfig::CRYPTO)
signet_test(random_pool_test PLAIN SOURCES unit/random_pool_test.c)

# Once more without the shorter ways of the handlers.
foreach(handler ${TEST_HANDLERS})
    foreach(name key_test envelope_test stream_test nist_test)
        add_test(NAME ${name}.${handler}.plain COMMAND ${name})
        set_tests_properties(${name}.${handler}.plain PROPERTIES
            LABELS "${handler}" TIMEOUT 120 SKIP_RETURN_CODE 77 ENVIRONMENT
            "SIGNET_KAT=${KAT_DIR};SIGNET_TEST_HANDLER=${handler};SIGNET_TEST_PLAIN=1")
    endforeach()
endforeach()
add_test(NAME openssl_handler_test.plain COMMAND openssl_handler_test)
set_tests_properties(openssl_handler_test.plain PROPERTIES
                     LABELS "openssl" TIMEOUT 120 ENVIRONMENT "SIGNET_TEST_PLAIN=1")
