signet_test(addr_test PLAIN SOURCES unit/addr_test.c)
signet_test(addr_text_test PLAIN SOURCES unit/addr_text_test.c)
