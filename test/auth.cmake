signet_test(name_test PLAIN SOURCES unit/name_test.c)
