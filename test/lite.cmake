signet_test(lite_maps_test PLAIN SOURCES unit/lite_maps_test.c)
target_link_libraries(lite_maps_test PRIVATE signet_lite)
