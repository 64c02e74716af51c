# Thin wrappers: scripts/bootstrap installs what is missing, the rest is in CMakePresets.json.
#   make run     build, then execute a ReduceMean graph and check the repository's graph files against a reference
#   make test    build and run every test            make asan, make tsan    the same under sanitizers
#   make fuzz    fuzz the readers and the graph for FUZZ_SECONDS each (60)
#   make format  make tidy   make clean

.PHONY: run test headers asan tsan fuzz bootstrap format tidy clean

run: bootstrap build/release/build.ninja
	cmake --build --preset release
	build/release/onefold run benchdnn_cases/op/f32/reducemean.json
	build/release/onefold bench --mode=C --batch=harness_ci

test: bootstrap headers build/release/build.ninja
	cmake --build --preset release
	ctest --preset release

asan: bootstrap build/asan-ubsan/build.ninja
	cmake --build --preset asan-ubsan
	ctest --preset asan-ubsan

tsan: bootstrap build/tsan/build.ninja
	cmake --build --preset tsan
	ctest --preset tsan

FUZZ_SECONDS ?= 60
fuzz:
	@scripts/bootstrap fuzz
	@$(MAKE) --no-print-directory build/fuzz/build.ninja
	cmake --build --preset fuzz
	tests/fuzz/run build/fuzz $(FUZZ_SECONDS)

bootstrap:
	@scripts/bootstrap

# Those of ONNX Runtime, for its execution provider; without them that is left out.
headers: | bootstrap
	-@scripts/fetch_onnxruntime_headers

build/%/build.ninja: CMakePresets.json | bootstrap
	cmake --preset $*
	@touch $@

format: bootstrap build/release/build.ninja
	cmake --build --preset release --target format

tidy: bootstrap build/release/build.ninja
	cmake --build --preset release --target tidy

clean:
	rm -rf build
