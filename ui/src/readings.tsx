// The reading of the question, and its other possible meanings.

import type { Question, Reading, Reply } from "./api";

interface Props {
  question: Question;
  reply: Reply;
  again: (question: Question) => void;
}

export function Readings({ question, reply, again }: Props) {
  const [answered, ...others] = reply.readings ?? [];
  if (!answered) return null;
  const instead = (position: number) =>
    again({ ...question, question: reply.question, conversation: undefined, reading: numberOf(question.reading ?? 0, position) });
  return (
    <div class="readings">
      <p>
        I read this as: <b>{answered.words}</b>
      </p>
      {answered.unexplained?.length ? (
        <p class="faint">Not used: {answered.unexplained.map((word) => `“${word}”`).join(", ")}</p>
      ) : null}
      {answered.remarks?.map((remark, at) => (
        <p key={at}>Note: {remark}</p>
      ))}
      {others.length > 0 && (
        <div role="group" aria-label="Other readings">
          <p>It may also mean:</p>
          <ul>
            {others.map(({ words, values }, at) => (
              <li key={at}>
                <button type="button" onClick={() => instead(at + 1)}>
                  {words}
                </button>
                {values?.length ? <span class="faint"> → {values.slice(0, 5).join(", ")}</span> : null}
              </li>
            ))}
          </ul>
        </div>
      )}
      <Queries reading={answered} />
    </div>
  );
}

function Queries({ reading: { sql, sparql, mends, remarks } }: { reading: Reading }) {
  if (!sql && !sparql) return null;
  // The remarks stand above.
  const mended = mends?.filter((mend) => !remarks?.includes(mend)) ?? [];
  return (
    <details>
      <summary>The query</summary>
      {mended.length > 0 ? (
        <ul>
          {mended.map((mend, at) => (
            <li key={at}>Mended: {mend}</li>
          ))}
        </ul>
      ) : null}
      {sql && (
        <>
          <h3>SQL</h3>
          <pre>{sql}</pre>
        </>
      )}
      {sparql && (
        <>
          <h3>SPARQL</h3>
          <pre>{sparql}</pre>
        </>
      )}
    </details>
  );
}

/** The number that requests the reading at a position (from 0). The requested one comes first, the others in their order. */
function numberOf(asked: number, position: number): number {
  if (asked <= 1) return position + 1;
  if (position === 0) return asked;
  return position < asked ? position : position + 1;
}
