import { type Aspect, ProblemError } from '@kindred/contracts';
import { parseDocument } from 'yaml';
import { z } from 'zod';

const id = z.guid().nullish();
const text = (length: number) => z.string().min(1).max(length).nullish();
const sha = z.string().regex(/^[0-9a-f]{12,16}$/, 'expected 12 to 16 hex digits');
const categoryValues = z.array(z.union([z.string().max(200), z.number(), z.boolean()])).max(10_000);

/**
 * What the service reads of a training run's run.json; everything else is kept as it is. The fingerprint of the training features
 * is `features.feature_schema_sha`, else `dataset.schema_sha`, else that of the features that the model names.
 */
export const runRecord = z.looseObject({
  run_id: z
    .string()
    .regex(
      /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/,
      'expected letters, digits, dots, hyphens and underscores, at most 200',
    ),
  dataset: z
    .looseObject({
      schema_sha: sha.nullish(),
      embedding_config_id: id,
      ontology_snapshot_id: id,
      producer_version: text(64),
      producer_git_sha: text(40),
    })
    .nullish(),
  features: z
    .looseObject({
      feature_schema_sha: sha.nullish(),
      /** Values of category features in the order of their codes, for models without the pandas_categorical line. */
      categories: z.record(z.string().max(255), categoryValues).nullish(),
    })
    .nullish(),
  producer_version: text(64),
  producer_git_sha: text(40),
  metrics: z.record(z.string(), z.json()).nullish(),
  feature_importance: z.record(z.string(), z.number()).nullish(),
});
export type RunRecord = z.infer<typeof runRecord>;

const aspectOf: Record<string, Aspect> = { bpo: 'P', mfo: 'F', cco: 'C', p: 'P', f: 'F', c: 'C' };
const cellPattern = /^(nk|lk|pk)(?:-(bpo|mfo|cco|p|f|c))?$/i;

/** What a model is for: a category of proteins and perhaps one aspect. */
export interface TrainingCell {
  category: 'nk' | 'lk' | 'pk' | null;
  aspect: Aspect | null;
}

/**
 * Reads spec.yaml: a mapping; `training.cell` (such as `nk` or `pk-bpo`) says what the model is for, and may be left out.
 * @throws ProblemError bad_file, with the line, for text that is no YAML mapping, or for another kind of cell
 */
export function readTrainingCell(specYaml: string): TrainingCell {
  const document = parseDocument(specYaml, { prettyErrors: true });
  const [error] = document.errors;
  if (error !== undefined) {
    throw badSpec(`line ${error.linePos?.[0].line ?? 1}: ${error.message.split('\n')[0]}`);
  }
  const spec = toPlain(document);
  if (spec === null || typeof spec !== 'object' || Array.isArray(spec)) {
    throw badSpec('line 1: expected a mapping (key: value lines)');
  }
  const training = (spec as Record<string, unknown>).training as Record<string, unknown> | null | undefined;
  const cell = training?.cell;
  if (cell === undefined || cell === null) return { category: null, aspect: null };
  const match = cellPattern.exec(String(cell));
  if (match === null)
    throw badSpec(`training.cell is ${JSON.stringify(cell)}; expected nk, lk or pk, or for instance pk-bpo`);
  return {
    category: match[1].toLowerCase() as TrainingCell['category'],
    aspect: match[2] === undefined ? null : aspectOf[match[2].toLowerCase()],
  };
}

function toPlain(document: ReturnType<typeof parseDocument>): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    throw badSpec((error as Error).message);
  }
}

function badSpec(reason: string): ProblemError {
  return new ProblemError('bad_file', `spec.yaml: ${reason}`, {
    errors: [{ path: '/spec.yaml', message: reason, code: 'bad_file' }],
  });
}
