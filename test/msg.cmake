signet_test(addr_test PLAIN SOURCES unit/addr_test.c)
signet_test(addr_text_test PLAIN SOURCES unit/addr_text_test.c)
signet_test(banner_test PLAIN SOURCES unit/banner_test.c)
signet_test(frame_vectors_test SOURCES unit/frame_vectors_test.c)
