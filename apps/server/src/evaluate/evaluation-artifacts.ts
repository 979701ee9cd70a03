import type { AnnotationPairs, PredictionTriples } from '@kindred/kernels/evaluation';
import type { HoldoutCategory } from '@kindred/kernels/holdout';
import type { ArtifactBytes } from '../ground/artifacts/artifact-store.js';
import type { StoredResultArtifact } from '../store/evaluation/evaluation-results.repository.js';
import type { TruthColumns } from '../store/evaluation/evaluation-truth.repository.js';
import { publishedTables } from './published-tables.js';
import { accretionTable, type ResolvedAccretion } from './evaluation-accretion.js';
import type { CategoryEvaluation } from './evaluation-report.js';
import type { OperationContext } from '../work/operation/operation.js';

export interface EvaluationFiles {
  material: {
    truth: Record<HoldoutCategory, TruthColumns>;
    known: TruthColumns;
    predictions: PredictionTriples;
  };
  accretion: ResolvedAccretion | null;
  toi: string[] | null;
  evaluated: readonly CategoryEvaluation[];
  options: Record<string, unknown>;
  frame: Record<string, unknown>;
}

const blockLength = 1 << 18;

/**
 * Stores all inputs from which the evaluation can be repeated, and its tables. If a file fails, the earlier
 * ones are deleted.
 */
export async function storeArtifacts(
  resultId: string,
  files: EvaluationFiles,
  context: OperationContext,
): Promise<StoredResultArtifact[]> {
  const stored: StoredResultArtifact[] = [];
  try {
    for (const [name, content] of contents(files)) {
      const bytes = typeof content === 'string' ? Buffer.from(content) : content;
      const key = `evaluation-results/${resultId}/${name}`;
      const { uri, sizeBytes, sha256 } = await context.artifacts.put(key, bytes, { signal: context.signal });
      stored.push({ name, uri, size_bytes: sizeBytes, sha256 });
    }
  } catch (error) {
    await discardArtifacts(stored, context);
    throw error;
  }
  return stored;
}

export async function discardArtifacts(
  artifacts: readonly StoredResultArtifact[],
  context: OperationContext,
): Promise<void> {
  for (const { uri } of artifacts) await context.artifacts.delete(uri);
}

function* contents(files: EvaluationFiles): Generator<[name: string, content: string | ArtifactBytes]> {
  const { material, accretion, toi, evaluated, options, frame } = files;
  yield ['frame.json', `${JSON.stringify({ options, ...frame }, null, 2)}\n`];
  for (const { category } of evaluated) yield [`gt_${category}.tsv`, pairLines(material.truth[category])];
  yield ['known_terms.tsv', pairLines(material.known)];
  if (accretion) {
    const { values } = accretion;
    yield ['IA.tsv', 'file' in values ? values.file : accretionTable(values)];
  }
  if (toi) yield ['terms_of_interest.txt', `${toi.join('\n')}\n`];
  yield ['predictions/predictions.tsv', predictionLines(material.predictions)];
  for (const { category, output } of evaluated) {
    for (const [name, table] of publishedTables(output.aspects, options.th_step as number))
      yield [`${category}/${name}`, table];
  }
}

function pairLines({ proteins, terms, protein, term }: AnnotationPairs): string {
  const lines: string[] = [];
  for (let i = 0; i < protein.length; i++) lines.push(`${proteins[protein[i]]}\t${terms[term[i]]}\n`);
  return lines.join('');
}

/** Writes the predictions in blocks, because one text could not hold some ten million lines. */
async function* predictionLines({
  proteins,
  terms,
  protein,
  term,
  score,
}: PredictionTriples): AsyncGenerator<Uint8Array> {
  let block = '';
  for (let i = 0; i < protein.length; i++) {
    block += `${proteins[protein[i]]}\t${terms[term[i]]}\t${score[i]}\n`;
    if (block.length > blockLength) {
      yield Buffer.from(block);
      block = '';
    }
  }
  yield Buffer.from(block);
}
