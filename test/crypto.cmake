signet_test(key_test SOURCES unit/key_test.c)
signet_test(envelope_test SOURCES unit/envelope_test.c)
signet_test(stream_test SOURCES unit/stream_test.c)
signet_test(nss_handler_test PLAIN SOURCES unit/nss_handler_test.c)
