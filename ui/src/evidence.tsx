// The evidence: triples as sentences, and passages with their important words marked.

import { useEffect, useState } from "preact/hooks";
import type { Evidence, Reply } from "./api";
import type { Lighting } from "./answer";

/** Pieces shown before "more" is pressed. */
const SHOWN = 12;

export function Evidences({ reply, lit, setLit, explore }: Lighting & { reply: Reply; explore: (id: string) => void }) {
  const [all, setAll] = useState(false);
  const numbers = new Map(reply.cited.citations.map((citation) => [citation.id, citation.number]));
  const pieces = reply.evidence.map((piece, at) => ({ piece, sentence: reply.sentences[at] }));
  const cited = pieces.filter(({ piece }) => numbers.has(piece.id));
  cited.sort((one, other) => numbers.get(one.piece.id)! - numbers.get(other.piece.id)!);
  const rest = pieces.filter(({ piece }) => !numbers.has(piece.id));
  const ordered = [...cited, ...rest];
  const usual = (cited.length && ordered.length > SHOWN ? cited : ordered).slice(0, SHOWN);
  // The highlighted piece is always visible.
  const hidden = lit !== null && ordered.some(({ piece }) => piece.id === lit) && !usual.some(({ piece }) => piece.id === lit);
  const shown = all ? ordered : usual;
  useEffect(() => {
    if (hidden) setAll(true);
  }, [hidden]);
  if (!ordered.length) return <p class="faint">There is no evidence.</p>;
  return (
    <div role="group" class="evidence" aria-label="Evidence">
      <h3>Evidence</h3>
      <ul>
        {shown.map(({ piece, sentence }) => (
          <li
            key={piece.id}
            class={lit === piece.id ? "lit" : ""}
            data-evidence={piece.id}
            onMouseEnter={() => setLit(piece.id)}
            onMouseLeave={() => setLit(null)}
          >
            {numbers.has(piece.id) && <span class="number">{numbers.get(piece.id)}</span>}
            <Piece piece={piece} sentence={sentence} reply={reply} explore={explore} /> <span class="faint">{piece.source}</span>
          </li>
        ))}
      </ul>
      {shown.length < ordered.length && (
        <button type="button" onClick={() => setAll(true)}>
          {ordered.length - shown.length} more piece{ordered.length - shown.length === 1 ? "" : "s"} of evidence
        </button>
      )}
    </div>
  );
}

interface PieceProps {
  piece: Evidence;
  sentence: string;
  reply: Reply;
  explore: (id: string) => void;
}

function Piece({ piece, sentence, reply, explore }: PieceProps) {
  if (piece.kind === "passage") {
    return (
      <blockquote>
        <b>{piece.entity}</b>: <Marked text={piece.passage} words={wordsOf(reply)} />
      </blockquote>
    );
  }
  if (piece.kind === "calculation") return <span>{sentence} (calculated)</span>;
  return (
    <>
      <button type="button" class="plain" title={`Look at ${piece.head}`} onClick={() => explore(piece.keys?.[0] ?? piece.head)}>
        {sentence}
      </button>
    </>
  );
}

/** The words of question and answers, which are marked in passages. */
function wordsOf(reply: Reply): string[] {
  const words = reply.question.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 3);
  return [...reply.answers, ...words].filter((word) => word.trim());
}

function Marked({ text, words }: { text: string; words: string[] }) {
  if (!words.length) return <>{text}</>;
  const escaped = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const parts = text.split(new RegExp(`(${escaped.join("|")})`, "giu"));
  return <>{parts.map((part, at) => (at % 2 ? <mark key={at}>{part}</mark> : part))}</>;
}
