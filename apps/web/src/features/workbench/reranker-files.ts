/** The files of a trained model, with what each is. */
export const rerankerParts = {
  'model.txt': 'the model as LightGBM saves it',
  'spec.yaml': 'what it was trained on',
  'run.json': 'the record of its training',
} as const;
export type RerankerPart = keyof typeof rerankerParts;

const partOfEnding: Readonly<Record<string, RerankerPart>> = {
  txt: 'model.txt',
  yaml: 'spec.yaml',
  yml: 'spec.yaml',
  json: 'run.json',
};

/** Adds files to those that are there; a file is recognised by the end of its name. Names of other files are returned. */
export function withFiles<One extends { name: string }>(
  before: ReadonlyMap<RerankerPart, One>,
  added: readonly One[],
): { files: Map<RerankerPart, One>; unknown: string[] } {
  const files = new Map(before);
  const unknown: string[] = [];
  for (const file of added) {
    const part = partOfEnding[file.name.split('.').at(-1)?.toLowerCase() ?? ''];
    if (part === undefined) unknown.push(file.name);
    else files.set(part, file);
  }
  return { files, unknown };
}

/** Names the files that are missing, each with what it is. The model may be in the store instead. */
export const missingFiles = (files: ReadonlyMap<RerankerPart, unknown>, isModelStored = false): string[] =>
  (Object.keys(rerankerParts) as RerankerPart[])
    .filter((part) => !files.has(part) && !(isModelStored && part === 'model.txt'))
    .map((part) => `${part} (${rerankerParts[part]})`);
