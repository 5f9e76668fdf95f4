// Shows an entity: its names, types and relations, with links to its neighbours.

import { useEffect, useRef, useState } from "preact/hooks";
import { type Candidate, type Entity, type Node, entities, entity } from "./api";

interface Props {
  id: string | null;
  workspace?: string;
  go: (id: string | null) => void;
  close: () => void;
}

export function Explorer({ id, workspace, go, close }: Props) {
  const [shown, setShown] = useState<Entity | null>(null);
  const [found, setFound] = useState<Candidate[]>([]);
  const [problem, setProblem] = useState("");
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    panel.current?.focus();
    setProblem("");
    if (id === null) return setShown(null);
    entity(id, workspace).then(setShown, (error) => {
      setShown(null);
      setProblem(error.message);
    });
  }, [id]);
  const search = (event: SubmitEvent) => {
    event.preventDefault();
    const name = new FormData(event.currentTarget as HTMLFormElement).get("name") as string;
    if (!name.trim()) return;
    entities(name, workspace).then(
      (reply) => {
        setFound(reply.entities);
        setProblem(reply.entities.length ? "" : `No entity has the name “${name}” or a similar one.`);
      },
      (error) => setProblem(error.message),
    );
  };
  return (
    <aside class="explorer" ref={panel} tabIndex={-1} aria-label="Entity">
      <div class="row">
        <h2>{shown?.name ?? "Entities"}</h2>
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
      <form class="row" onSubmit={search}>
        <input name="name" aria-label="Name of an entity" placeholder="Find an entity by name" />
        <button type="submit">Find</button>
      </form>
      {problem && <p role="alert">{problem}</p>}
      {found.length > 0 && (
        <ul class="found">
          {found.map((candidate) => (
            <li key={candidate.id}>
              <button
                type="button"
                class="plain"
                onClick={() => {
                  setFound([]);
                  go(candidate.id);
                }}
              >
                {candidate.name}
              </button>{" "}
              <span class="faint">
                {candidate.types.join(", ")} {candidate.reason}
              </span>
            </li>
          ))}
        </ul>
      )}
      {shown && <Facts shown={shown} go={go} />}
    </aside>
  );
}

function Facts({ shown, go }: { shown: Entity; go: (id: string) => void }) {
  const name = (node: Node) =>
    node.id === null ? (
      <span>{node.name}</span>
    ) : (
      <button type="button" class="plain" onClick={() => go(node.id!)}>
        {node.name}
      </button>
    );
  return (
    <>
      <p class="faint">
        {shown.id} · {shown.types.map((type) => type.name).join(", ") || "no type"} · {shown.triples} triples
      </p>
      {shown.aliases.length > 0 && <p>Also: {shown.aliases.join(", ")}</p>}
      {shown.description && <p>{shown.description}</p>}
      <dl>
        {shown.relations.map((relation) => (
          <div key={relation.id + relation.direction}>
            <dt>
              <span aria-hidden="true">{relation.direction === "forward" ? "→" : "←"}</span>{" "}
              <span class="sr">{relation.direction === "forward" ? "to" : "from"}</span> {relation.relation}{" "}
              <span class="faint">{relation.fan_out}</span>
            </dt>
            <dd>
              {relation.neighbours.map((node, at) => (
                <span key={at}>
                  {at > 0 && ", "}
                  {name(node)}
                </span>
              ))}
              {relation.fan_out > relation.neighbours.length && ", …"}
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}
