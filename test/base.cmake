foreach(name cursor secret crc32c error env thread)
    signet_test(${name}_test PLAIN SOURCES unit/${name}_test.c)
endforeach()
