signet_test(cursor_test PLAIN SOURCES unit/cursor_test.c)
