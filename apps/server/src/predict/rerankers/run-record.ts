import { type Aspect, ProblemError, type CategoryKey } from '@kindred/contracts';
import { parseDocument } from 'yaml';

const aspectOf: Record<string, Aspect> = { bpo: 'P', mfo: 'F', cco: 'C', p: 'P', f: 'F', c: 'C' };
const cellPattern = /^(nk|lk|pk)(?:-(bpo|mfo|cco|p|f|c))?$/i;

/** The cell says what a model is for: a category of proteins, and optionally one aspect. */
export interface TrainingCell {
  category: CategoryKey | null;
  aspect: Aspect | null;
}

/**
 * Reads spec.yaml, which is a mapping; `training.cell` (such as `nk` or `pk-bpo`) names the cell and is
 * optional.
 * @throws ProblemError bad_file, with the line, if the text is not a YAML mapping or the cell is invalid
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
