signet_test(key_test SOURCES unit/key_test.c)
