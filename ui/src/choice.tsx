// The choice of a method and of its planner, each with a sentence.

import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { GROUPS, PLANNERS, about, pairOf } from "./methods";

interface Props {
  label: string;
  /** The label of the planner's list. */
  planner: string;
  /** The pair's name; empty for no method. */
  value: string;
  set: (value: string) => void;
  /** Names of the pairs on offer; an empty name offers no method. */
  among: string[];
}

export function MethodChoice({ label, planner: plannerLabel, value, set, among }: Props) {
  const chosen = pairOf(value);
  const offered = among.map((name) => ({ name, ...pairOf(name) }));
  const methods = [...new Set(offered.map(({ method }) => method))];
  const planners = offered.filter(({ method }) => method === chosen.method);
  const known = new Set(GROUPS.flatMap(({ methods }) => Object.keys(methods)));
  // The planner stays if the new method takes it.
  const choose = (method: string) => {
    const pairs = offered.filter((pair) => pair.method === method);
    set((pairs.find(({ planner }) => planner === chosen.planner) ?? pairs[0]).name);
  };
  const option = (method: string) => (
    <option key={method} value={method}>
      {method || "nothing"}
    </option>
  );
  return (
    <div class="choices">
      <Described
        label={label}
        value={chosen.method}
        set={choose}
        about={value ? about(chosen.method) : "One method answers."}
      >
        {methods.filter((method) => !known.has(method)).map(option)}
        {GROUPS.map(({ label, methods: group }) => (
          <optgroup key={label} label={label}>
            {methods.filter((method) => group[method]).map(option)}
          </optgroup>
        ))}
      </Described>
      {planners.some(({ name, method }) => name !== method) && (
        <Described
          label={plannerLabel}
          value={value}
          set={set}
          about={PLANNERS[chosen.planner] ?? ""}
        >
          {planners.map(({ name, planner }) => (
            <option key={name} value={name}>
              {planner}
            </option>
          ))}
        </Described>
      )}
    </div>
  );
}

interface DescribedProps {
  label: string;
  value: string;
  set: (value: string) => void;
  /** The sentence about the chosen option. */
  about: string;
  children: ComponentChildren;
}

function Described({ label, value, set, about, children }: DescribedProps) {
  const id = useId();
  return (
    <div class="choice">
      <label for={id}>{label}</label>{" "}
      <select
        id={id}
        aria-describedby={`${id}-about`}
        value={value}
        onChange={(event) => set(event.currentTarget.value)}
      >
        {children}
      </select>
      <p class="faint" id={`${id}-about`}>
        {about}
      </p>
    </div>
  );
}
