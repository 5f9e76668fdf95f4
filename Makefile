# Everything a newcomer needs: `make demo`, `make test`. `make help` lists the rest.
SHELL := /bin/sh
.DEFAULT_GOAL := help

TARGET_DIR := $(or $(CARGO_TARGET_DIR),target)
QUIPU := $(TARGET_DIR)/release/quipu
# Built without LTO, whose link takes minutes: see Cargo.toml.
DEMO_QUIPU := $(TARGET_DIR)/demo/quipu
DEMO := .demo
GRAPH := $(DEMO)/geonames.nt
# Evidence cites the source by its folder's name.
WORKSPACE := $(DEMO)/geonames
DEMO_MODELS := qwen2.5-coder-1.5b all-minilm-l6-v2
TEST_MODELS := smollm2-135m all-minilm-l6-v2
BENCH := .bench
EXAMPLES := $(TARGET_DIR)/release/examples
TRIPLES ?= 10000000
METAQA ?= ../shared/data/metaqa/kb.tsv
MINUTES ?= 60
CRASHES ?= 1000
SEQUENCES ?= 500

export QUESTION
# Node where the system has none: scripts/setup.sh.
export PATH := $(PATH):$(CURDIR)/.venv/bin
# See .cargo/config.toml: without tiled kernels, rearranged weights are the faster ones.
ifeq ($(filter x86_64 amd64,$(shell uname -m)),)
export GGML_CPU_REPACK = ON
endif

.PHONY: help demo demo-setup demo-build setup page page-tests build demo-models test test-python tune test-tune dist fuzz damage crash sequences soak bench-build bench bench-compare lint format

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

demo: demo-models $(DEMO)/imported ## build, import the demo graph, ask five questions (or QUESTION="..."); asks before apt, but for YES=1
	@# A workspace of an older format is imported anew.
	@$(DEMO_QUIPU) info $(WORKSPACE) >/dev/null 2>&1 || $(DEMO_QUIPU) import $(WORKSPACE) $(GRAPH)
	@scripts/demo.sh $(DEMO_QUIPU) $(WORKSPACE)

demo-setup:
	@scripts/setup.sh demo

setup: ## what the tests need: build tools, Rust, Python packages, Node, Virtuoso, Chromium
	@scripts/setup.sh

page: ## the page, with Node: `cargo build` takes it into the binary
	@# Only where a source is newer: a page written anew has the binary built anew.
	@cd ui && if [ -e dist/index.html ] && [ -z "$$(find . \( -name node_modules -o -name dist \) -prune -o -type f -newer dist/index.html -print)" ]; then :; \
	elif ! command -v npm >/dev/null; then \
		echo "page: left out (no npm here); everything else works without it"; \
	elif [ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --omit=dev --silent --no-fund --no-audit; then \
		npm run --silent build -- --logLevel warn; \
	else \
		echo "page: left out (npm could not fetch its packages); everything else works without it"; \
	fi

# What drives the page in a browser, which building it does not need.
page-tests: page
	@cd ui && if command -v npm >/dev/null && [ ! -e node_modules/playwright-core ]; then npm ci --silent --no-fund --no-audit; fi

build: setup page ## release build of the quipu command
	@cargo build --release --locked -p quipu-cli

# Kernels of other types than ours and llama.cpp's own code are optimised less: see Cargo.toml.
demo-build: export CFLAGS = -O1
demo-build: export CXXFLAGS = -O1
demo-build: export GGML_LLAMA_QUICK = ON
demo-build: demo-setup page
	@cargo build --profile demo --locked -p quipu-cli

demo-models: demo-build
	@for model in $(DEMO_MODELS); do $(DEMO_QUIPU) models pull $$model >/dev/null || exit 1; done

$(GRAPH): demo/geonames.py demo/requirements.txt | demo-setup
	@mkdir -p $(DEMO)
	@.venv/bin/python demo/geonames.py $@

# The stamp says that an import ended well; the graph's date says whether it is still the right one.
$(DEMO)/imported: $(GRAPH) | demo-models
	@$(DEMO_QUIPU) import $(WORKSPACE) $(GRAPH)
	@touch $@

test: export QUIPU_SKIPPED = $(abspath $(TARGET_DIR))/skipped-tests.txt
test: setup page-tests ## the whole test suite
	@rm -f "$$QUIPU_SKIPPED"
	@# Built first and in the same way as it is run: the models are fetched with this very binary.
	cargo test --workspace --locked --no-run
	@for model in $(TEST_MODELS); do $(TARGET_DIR)/debug/quipu models pull $$model >/dev/null || exit 1; done
	cargo test --workspace --locked
	scripts/test-python.sh
	PYTHON=$(CURDIR)/.venv/bin/python training/test.sh light
	@scripts/skipped.sh "$$QUIPU_SKIPPED"

tune: demo-build ## train a small adapter on examples of our own, in minutes (3 GB of Python packages the first time)
	@training/setup.sh
	@$(DEMO_QUIPU) models pull smollm2-135m >/dev/null
	@.venv-training/bin/python -m quipu_tune train --data training/example \
		--base "$$($(DEMO_QUIPU) models path smollm2-135m)" --base-name smollm2-135m --out .tune --steps 4 --learning-rate 2e-3 --resume

test-tune: ## all tests of training/, those that need torch too
	@training/setup.sh && training/test.sh

test-python: setup page ## the Python package: its wheel in a fresh environment, and the examples over it
	scripts/test-python.sh

dist: setup page ## archives, wheel, checksums and lists of parts for other machines, in target/dist
	scripts/dist.sh

fuzz: setup ## every reader of foreign bytes under libFuzzer (MINUTES=60 in all, JOBS=N at a time); docs/proof.md says what it found
	@scripts/fuzz.sh $(MINUTES)

damage: setup ## every byte of every file of a small workspace changed, one by one
	QUIPU_DAMAGE=all cargo test --locked -p quipu-answer --test all damage -- --nocapture

sequences: setup ## random sequences of changes to workspaces against plain sets (SEQUENCES=500)
	QUIPU_SEQUENCES=$(SEQUENCES) cargo test --locked -p quipu-index --lib sequences

crash: setup ## commands broken off at each of their file operations, at 1,000 allocations and 1,000 moments
	QUIPU_CRASH=$(CRASHES) QUIPU_CRASH_ALLOCATIONS=$(CRASHES) cargo test --locked -p quipu-index --test crash

soak: setup page ## a server that is used for long (MINUTES=60) holds no more than before
	QUIPU_SOAK_MINUTES=$(MINUTES) cargo test --locked -p quipu-cli --test all soak -- --nocapture

# Always the whole workspace: another selection of crates would have llama.cpp built anew.
bench-build: build
	@for model in $(DEMO_MODELS); do $(QUIPU) models pull $$model >/dev/null || exit 1; done
	@cargo build -q --release --locked --workspace --examples
	@mkdir -p $(BENCH)
	@for exponent in 0.65 0.75; do \
		[ -e $(BENCH)/$(TRIPLES)-$$exponent.nt ] || \
		$(EXAMPLES)/generate --triples $(TRIPLES) --exponent $$exponent --out $(BENCH)/$(TRIPLES)-$$exponent.nt || exit 1; done

bench: bench-build ## benchmarks (TRIPLES=100000000 for the large graph); docs/results/ holds the figures
	@rm -rf $(BENCH)/store $(BENCH)/store-heavy
	python3 benches/compare/peak.py $(EXAMPLES)/lookups $(BENCH)/store --import $(BENCH)/$(TRIPLES)-0.65.nt
	python3 benches/compare/peak.py $(EXAMPLES)/lookups $(BENCH)/store-heavy --import $(BENCH)/$(TRIPLES)-0.75.nt
	@rm -rf $(BENCH)/whole $(BENCH)/store-metaqa
	python3 benches/compare/peak.py $(QUIPU) import $(BENCH)/whole $(BENCH)/$(TRIPLES)-0.65.nt --no-embeddings --no-model && $(QUIPU) info $(BENCH)/whole
	@if [ -e $(METAQA) ]; then $(EXAMPLES)/lookups $(BENCH)/store-metaqa --import $(METAQA); else echo "left out: there is no $(METAQA)"; fi
	cargo bench --locked --workspace --bench names --bench vectors --bench embed --bench chat

bench-compare: bench-build ## the same lookups and texts on Oxigraph, hdt and Virtuoso; the same texts in onnxruntime, llama.cpp and candle
	@benches/compare/compare.sh $(BENCH) $(EXAMPLES) $(TRIPLES)-0.65 "$$($(QUIPU) models path all-minilm-l6-v2)"

lint: ## formatting, clippy, docs, dependencies
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked
	@command -v cargo-deny >/dev/null || cargo install --locked cargo-deny
	cargo deny --locked check licenses bans sources
	@# Every crate as it would be published, without building it again.
	cargo package --workspace --locked --allow-dirty --no-verify --quiet

format: ## format the code
	cargo fmt --all
