// One sentence about each method and each planner, and the names of their pairs.

/** Methods by purpose; methods of the server that are missing here come last. */
export const GROUPS: { label: string; methods: Record<string, string> }[] = [
  {
    label: "Quipu's own",
    methods: {
      auto: "Answers by a path through the graph if one clearly matches the question, else by a query over the graph's tables.",
      paths: "Ranks the paths that exist around the question's names; asks no model if relations have cards.",
      query: "Lets the model write a query over the graph's tables; code checks, binds and runs it.",
    },
  },
  {
    label: "Published methods",
    methods: {
      kerag: "KERAG: retrieves the triples around the question's subject, filters them, and lets the model compose.",
      anchor: "AnchorRAG: grounds several possible anchors, and retrieves around those that fit the question together.",
      pseudo: "Pseudo-graphs: lets the model write down what it believes as a graph, and corrects that by the sources.",
      hybrid: "HybGRAG: asks documents and graph together, and corrects the search from feedback.",
      verify: "Self-verification: asks APIs first and checks by itself whether the reply answers; falls back on pages.",
    },
  },
  {
    label: "Baselines",
    methods: {
      io: "The model alone, without a graph.",
      cot: "The model alone, step by step.",
      self_consistency: "Several tries of the model alone, by vote.",
      question_match: "The triples most similar in meaning to the question, in one call.",
      graph: "All triples of the question's entities, in one call.",
      text: "Documents only.",
      multi_vector: "Documents only, each entity ranked by several of its passages.",
      text_graph: "Documents and all triples of the question's entities, in one call.",
      tool_use: "The model calls functions of the graph.",
      tog: "The model walks the graph in a beam (Think-on-Graph).",
      structgpt: "The model chooses one relation after the other (StructGPT).",
      plan_on_graph: "The model searches by objectives and turns back where it was wrong (Plan-on-Graph).",
      react: "The model thinks and acts in turn (ReAct).",
      reflexion: "The model thinks and acts, and tries again with what its failures taught (Reflexion).",
      corrective: "Documents first, the graph if they do not help.",
    },
  },
];

/** The planner of a method that names no other. */
const PUBLISHED = "published";

/** Planners of the published methods, each with a sentence. */
export const PLANNERS: Record<string, string> = {
  [PUBLISHED]: "The paper's own plan.",
  paths: "Paths around the question's names replace the paper's plan and retrieval.",
  query: "A query over the graph's tables replaces the paper's plan and retrieval.",
};

/** A method with its planner. */
export interface Pair {
  method: string;
  planner: string;
}

/** Reads the server's name of a pair: "kerag" or "kerag + paths". */
export function pairOf(name: string): Pair {
  const [method, planner = PUBLISHED] = name.split(" + ");
  return { method, planner };
}

/** The sentence about a method. */
export function about(method: string): string {
  for (const { methods } of GROUPS) if (methods[method]) return methods[method];
  return "";
}
