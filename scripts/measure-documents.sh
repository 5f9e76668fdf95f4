#!/bin/sh
# Measures `hybrid`, its ablations and the baselines on questions over a semi-structured base
# (docs/results/).
# Usage: QUIPU=quipu LLM=NAME measure-documents.sh WORKSPACE QUESTIONS.jsonl OUT [PART...]
# Parts: free (no model), hybrid, ablations, baselines, experiences; all of them where none is
# named. LIMIT=N asks N questions only (with SAMPLE=SEED any N, else the first), PARALLEL=N asks N
# side by side, JUDGE=NAME judges. What OUT holds already is gone on with.
set -eu
workspace=$1 questions=$2 out=$3
shift 3
quipu=${QUIPU:-quipu} llm=${LLM:-none}
parts=${*:-free hybrid ablations baselines experiences}
mkdir -p "$out"

# run NAME METHOD LLM [--set KEY=VALUE...]: one run of all questions.
run() {
    name=$1 method=$2 model=$3
    shift 3
    printf '\n== %s\n' "$name"
    # Questions side by side share no cards: the same answers in any order.
    # shellcheck disable=SC2086
    "$quipu" eval run "${base:-$workspace}" --questions "${asked:-$questions}" --method "$method" --llm "$model" --out "$out/$name" --resume \
        --parallel "${PARALLEL:-1}" ${LIMIT:+--limit $LIMIT} ${SAMPLE:+--sample $SAMPLE} ${JUDGE:+--judge $JUDGE} "$@" || failed="${failed:-} $name"
}
settings() { for pair in "$@"; do printf -- '--set %s ' "hybrid.$pair"; done; }
# hybrid NAME LLM [KEY=VALUE...]: as published;
# planned: with our planner, which needs no model to route.
hybrid() { run "$1" hybrid "$2" $(shift 2 && settings "$@"); }
planned() { run "$1" hybrid+paths "$2" $(shift 2 && settings "$@"); }

part_free() { # no model is asked
    for mode in bm25 dense hybrid; do run "text-$mode" text none --set "text.mode=$mode" --set text.compose=no; done
    planned hybrid-free none
    planned hybrid-free-similarity none ranking=similarity
    planned hybrid-free-radius1 none radius=1
    planned hybrid-text none modules=text
    planned hybrid-graph none modules=graph
    planned hybrid-oracle none critic=oracle
}
part_hybrid() {
    for rounds in 1 2 3 4; do
        hybrid "published-rounds$rounds" "$llm" rounds=$rounds
        planned "planned-rounds$rounds" "$llm" rounds=$rounds
    done
    planned planned-strict "$llm" accept=0.5
    planned planned-read8 "$llm" read=8
    hybrid published-composed "$llm" compose=yes
}
part_ablations() { # the paper's figure 3 and table 10
    hybrid ablation-no-context "$llm" validation_context=no
    hybrid ablation-5-experiences "$llm" experiences=5
    hybrid ablation-no-critic "$llm" critic=off
    hybrid ablation-oracle "$llm" critic=oracle
    planned ablation-planned-no-context "$llm" validation_context=no accept=0.5
    planned ablation-planned-no-critic "$llm" critic=off
    planned ablation-planned-oracle "$llm" critic=oracle
}
part_baselines() {
    for method in question_match graph text_graph multi_vector tog structgpt plan_on_graph react reflexion corrective text; do run "$method" "$method" "$llm"; done
}
part_experiences() { # collected from the first half, measured on the second
    copy=$out/workspace
    [ -e "$copy" ] || cp -r "$workspace" "$copy"
    lines=$(wc -l <"$questions")
    head -n $((lines / 2)) "$questions" >"$out/train.jsonl"
    tail -n +$((lines / 2 + 1)) "$questions" >"$out/test.jsonl"
    # shellcheck disable=SC2086
    "$quipu" experience collect "$copy" --questions "$out/train.jsonl" --planner published --llm "$llm" ${LIMIT:+--limit $LIMIT}
    "$quipu" experience list "$copy"
    base=$copy asked=$out/test.jsonl
    for examples in 0 5 30; do
        hybrid "experiences-$examples" "$llm" experiences=$examples
        planned "experiences-planned-$examples" "$llm" experiences=$examples accept=0.5
    done
    unset base asked
}

for part in $parts; do "part_$part"; done
if [ -n "${failed:-}" ]; then
    printf '\nfailed:%s\n' "$failed"
    exit 1
fi
