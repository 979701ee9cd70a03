import { knownTasks, type Task } from '../tokens/tokenizer.js';

// A variant of a model. A model whose numbers differ has another model name in the configuration: name[@s2s][@int8].

export interface ModelVariant {
  /** Whether the weights have 8 bits. */
  int8: boolean;
  /** The task; null means the model's default. */
  task: Task | null;
}

const int8Ending = '@int8';
const taskEnding = (task: Task) => `@${task.toLowerCase()}`;

export function variantName(name: string, { int8, task }: ModelVariant): string {
  return `${name}${task === null ? '' : taskEnding(task)}${int8 ? int8Ending : ''}`;
}

/** Divides a model name into the name of the folder and the variant that the endings state. */
export function splitModelName(full: string): { name: string } & ModelVariant {
  const int8 = full.endsWith(int8Ending);
  const rest = int8 ? full.slice(0, -int8Ending.length) : full;
  const task = knownTasks.find((one) => rest.endsWith(taskEnding(one))) ?? null;
  return { name: task === null ? rest : rest.slice(0, -taskEnding(task).length), int8, task };
}
