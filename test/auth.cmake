signet_test(name_test PLAIN SOURCES unit/name_test.c)
signet_test(cephx_test PLAIN SOURCES unit/cephx_test.c)
signet_test(cephx_bad_test PLAIN SOURCES unit/cephx_bad_test.c)
