foreach(name cursor secret crc32c error env thread)
    signet_test(${name}_test PLAIN SOURCES unit/${name}_test.c)
endforeach()
target_link_options(thread_test PRIVATE -Wl,--wrap=pthread_create)
