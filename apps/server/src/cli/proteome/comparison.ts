import type { Client, Reply } from '@kindred/client';
import { ProblemError } from '@kindred/contracts';
import { defaultMaxRate } from '@kindred/contracts/vocabulary';
import { certaintyFrom } from '@kindred/kernels/combined/vocabulary';

type Slim = Reply<'GET', '/annotations/slims'>[number];
type Compared = Reply<'POST', '/embeddings/prediction-sets/:id/enrichment'>;
export type ComparedTerm = Compared['terms'][number];

/**
 * The comparison has the terms that the proteome has more or less often than the annotated proteins of its
 * reference.
 */
export interface Comparison {
  /** A term is found in this number of proteins of the proteome. */
  proteome: number;
  reference: number;
  /** The reference has this name and version; null if it has none. */
  name: string | null;
  /** Proteins that other references answer are left out. */
  ofOthers: Compared['of_other_references'];
  /**
   * Predictions below it do not count. Null means that all terms of the answers count, because some have no
   * probability.
   */
  minProbability: number | null;
  /** The slim lists all terms that a protein of either has; null means that the service has no slim. */
  slim: { name: string; version: string; terms: ComparedTerm[] } | null;
  /** The terms differ between the two, and are ordered by p value. */
  enriched: ComparedTerm[];
}

/** The service could not compare, but all other parts of the run are unaffected. */
export interface NotCompared {
  notCompared: string;
}

export const isCompared = (compared: Comparison | NotCompared | null): compared is Comparison =>
  compared !== null && !('notCompared' in compared);

const defaultSlim = 'goslim_generic';

/**
 * Finds the slim of that name; without a name the default one, else the one that was loaded last. Null means
 * that none is loaded.
 * @throws ProblemError bad_file if no slim has that name
 */
export async function slimFor(client: Client, asked: string | undefined): Promise<Slim | null> {
  const slims = await client.get('/annotations/slims', { query: { limit: 500 } });
  const found = slims.find(({ name, id }) => name === (asked ?? defaultSlim) || id === asked);
  if (found !== undefined) return found;
  if (asked === undefined) return slims[0] ?? null;
  const names = [...new Set(slims.map(({ name }) => name))].join(', ');
  throw new ProblemError(
    'bad_file',
    `The service has no GO slim ${asked} (${names === '' ? 'none is loaded; load_go_slim loads one' : `loaded: ${names}`}).`,
  );
}

/**
 * Null means that the set was predicted without annotations. If the service cannot make a comparison, the
 * result gives the reason.
 */
export async function compareOrSayWhy(
  ...asked: Parameters<typeof compareWithReference>
): Promise<Comparison | NotCompared | null> {
  try {
    return await compareWithReference(...asked);
  } catch (error) {
    if (!(error instanceof ProblemError) || error.status < 500) throw error;
    return { notCompared: error.message };
  }
}

async function compareWithReference(
  client: Client,
  set: { id: string; annotation_set_id: string | null },
  { slim, isCalibrated }: { slim: Slim | null; isCalibrated: boolean },
): Promise<Comparison | null> {
  if (set.annotation_set_id === null) return null;
  const minProbability = isCalibrated ? certaintyFrom.likely : null;
  const ask = (question: { slim?: string; max_rate: number }): Promise<Compared> =>
    client.post('/embeddings/prediction-sets/:id/enrichment', {
      params: { id: set.id },
      body: { compare_with: 'reference', min_probability: minProbability, ...question },
    });
  const { list, population, terms, reference, of_other_references } = await ask({ max_rate: defaultMaxRate });
  const counted = slim === null ? null : await ask({ slim: slim.id, max_rate: 1 });
  return {
    proteome: list,
    reference: population - list,
    name: reference,
    ofOthers: of_other_references,
    minProbability,
    slim:
      slim === null || counted === null
        ? null
        : { name: slim.name, version: slim.version, terms: counted.terms },
    enriched: terms,
  };
}
