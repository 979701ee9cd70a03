import { knownTasks, type Task } from '../tokens/tokenizer.js';

// A model whose numbers differ is another model name in the configuration: name[@s2s][@int8].

export interface ModelVariant {
  /** True for 8-bit weights. */
  int8: boolean;
  /** Task; null: the model's default. */
  task: Task | null;
}

const int8Ending = '@int8';
const taskEnding = (task: Task) => `@${task.toLowerCase()}`;

export function variantName(name: string, { int8, task }: ModelVariant): string {
  return `${name}${task === null ? '' : taskEnding(task)}${int8 ? int8Ending : ''}`;
}

/** The name of the folder, and what the endings say. */
export function splitModelName(full: string): { name: string } & ModelVariant {
  const int8 = full.endsWith(int8Ending);
  const rest = int8 ? full.slice(0, -int8Ending.length) : full;
  const task = knownTasks.find((one) => rest.endsWith(taskEnding(one))) ?? null;
  return { name: task === null ? rest : rest.slice(0, -taskEnding(task).length), int8, task };
}
