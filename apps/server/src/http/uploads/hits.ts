import { createHash } from 'node:crypto';
import { ProblemError } from '@kindred/contracts';
import { mostHitsOfQuery } from '@kindred/contracts/search-hits';
import {
  emptySearchHitFile,
  FormatError,
  insteadOfOffice,
  NamedQueries,
  readSearchHits,
  type SearchHit,
} from '@kindred/kernels/formats';
import { yieldToEventLoop } from '../../ground/event-loop.js';
import type { QueryHits, StoredHit } from '../../store/proteins/query-hits.repository.js';
import { chunksOf, isGzip, unpacked } from './sequences.js';

export interface HitsUpload {
  /** The file has this name. */
  name: string;
  bytes: Uint8Array;
  /** The caller named this program. */
  program: string | undefined;
}

/** An alignment with a larger E-value, as a power of ten, has no weight. */
const maxLogEValue = 2;
/** Hits of a query are sorted and cut when it has this many times the number that is kept. */
const slack = 4;

/**
 * Reads uploaded hits of the records.
 * @throws ProblemError bad_file with the line, or if no hit is one of the records
 */
export async function readHits(
  { name, bytes, program }: HitsUpload,
  records: readonly { accession: string }[],
  maxBytes: number,
): Promise<QueryHits> {
  const plain = isGzip(bytes) ? await unpacked(bytes, maxBytes) : bytes;
  const office = insteadOfOffice(plain);
  if (office !== null) throw new ProblemError('bad_file', `${name} ${office}.`);
  const file = emptySearchHitFile();
  const kept = new KeptHits(records);
  try {
    for await (const hits of readSearchHits(chunksOf(plain), file)) {
      for (const hit of hits) kept.add(hit);
      await yieldToEventLoop();
    }
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw new ProblemError('bad_file', `${name}, ${error.message}.`, { cause: error });
  }
  if (file.hits === 0)
    throw new ProblemError('bad_file', `${name} has no hit: leave it out, or send the table of the search.`);
  if (kept.queries === 0)
    throw new ProblemError(
      'bad_file',
      kept.unknownQuery === null
        ? `${name} has only hits of sequences with themselves, or with an E-value above 100: leave it out.`
        : `${name} has no usable hit of a sequence of this upload: column 1 has names such as "${kept.unknownQuery}". It must have the first word of the FASTA headers.`,
    );
  const ofQuery = kept.finish(file.isPercent ? 100 : 1);
  const left = [...ofQuery.values()].reduce((sum, { length }) => sum + length, 0);
  const about = {
    file: name,
    program: program ?? file.program,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    hits: file.hits,
    queries: ofQuery.size,
    kept: left,
    unknown_queries: kept.unknown,
    unknown_query: kept.unknownQuery,
    self_hits: kept.selfHits,
    surplus: file.hits - left - kept.unknown - kept.selfHits,
  };
  return { about, ofQuery };
}

/** Keeps the best hit of each query with each target. */
class KeptHits {
  readonly #records: NamedQueries;
  readonly #hits = new Map<string, Map<string, StoredHit>>();
  unknown = 0;
  unknownQuery: string | null = null;
  selfHits = 0;

  constructor(records: readonly { accession: string }[]) {
    this.#records = new NamedQueries(new Set(records.map(({ accession }) => accession)));
  }

  get queries(): number {
    return this.#hits.size;
  }

  add({ query, target, logEValue, identity, bits }: SearchHit): void {
    const accession = this.#records.find(query);
    if (accession === null) {
      this.unknown++;
      this.unknownQuery ??= query;
    } else if (accession === target) this.selfHits++;
    else if (logEValue <= maxLogEValue) {
      let hits = this.#hits.get(accession);
      if (hits === undefined) this.#hits.set(accession, (hits = new Map()));
      const hit: StoredHit = [target, logEValue, identity, bits];
      const before = hits.get(target);
      if (before === undefined || byQuality(hit, before) < 0) hits.set(target, hit);
      if (hits.size > slack * mostHitsOfQuery)
        this.#hits.set(accession, new Map(best(hits).map((one) => [one[0], one])));
    }
  }

  /** Gives the hits by query; identities are divided by `unit`. */
  finish(unit: number): Map<string, StoredHit[]> {
    return new Map(
      Array.from(this.#hits, ([accession, hits]) => [
        accession,
        best(hits).map(([target, logEValue, identity, bits]) => [target, logEValue, identity / unit, bits]),
      ]),
    );
  }
}

function byQuality(a: StoredHit, b: StoredHit): number {
  return a[1] - b[1] || b[3] - a[3] || (a[0] < b[0] ? -1 : Number(a[0] > b[0]));
}

function best(hits: ReadonlyMap<string, StoredHit>): StoredHit[] {
  return [...hits.values()].sort(byQuality).slice(0, mostHitsOfQuery);
}
