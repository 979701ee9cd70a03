import type { DomainMatchRecord } from '@kindred/contracts';
import { inTransaction } from '../store/postgres/db.js';
import {
  sequencesOfAccessions,
  sequencesOfMd5,
  type StoredMatch,
  storeMatches,
} from '../store/annotations/interpro-annotations.repository.js';
import type { OperationContext } from '../work/operation/operation.js';

const maxExamples = 50;

/**
 * Stores InterPro matches batch by batch, with one commit each. A second run of the same matches changes
 * nothing.
 */
export class MatchWriter {
  batches = 0;
  inserted = 0;
  unchanged = 0;
  /** The database lacks the sequences of these matches. */
  notInDatabase = 0;
  readonly #sequences = new Set<number>();
  readonly #absent = new Set<string>();
  readonly #context: OperationContext;
  readonly #interproRelease: string;

  constructor(context: OperationContext, interproRelease: string) {
    this.#context = context;
    this.#interproRelease = interproRelease;
  }

  /**
   * Matches are assigned by the digest of the residues if they have one: this finds the queries of an upload,
   * and never a sequence that has changed.
   */
  async store(matches: readonly DomainMatchRecord[]): Promise<void> {
    if (matches.length === 0) return;
    const { db } = this.#context;
    const digests = new Set(matches.flatMap(({ sequenceMd5 }) => sequenceMd5 ?? []));
    const accessions = new Set(
      matches.filter(({ sequenceMd5 }) => sequenceMd5 === null).map(({ accession }) => accession),
    );
    const ofDigest = digests.size === 0 ? new Map() : await sequencesOfMd5(db, [...digests]);
    const ofAccession = accessions.size === 0 ? new Map() : await sequencesOfAccessions(db, [...accessions]);
    const known: StoredMatch[] = [];
    for (const match of matches) {
      const { sequenceMd5, accession } = match;
      const sequenceId = sequenceMd5 === null ? ofAccession.get(accession) : ofDigest.get(sequenceMd5);
      if (sequenceId === undefined) this.#miss(accession);
      else {
        known.push({ ...match, sequenceId });
        this.#sequences.add(sequenceId);
      }
    }
    const inserted = await inTransaction(db, (trx) => storeMatches(trx, this.#interproRelease, known));
    this.batches++;
    this.inserted += inserted;
    this.unchanged += known.length - inserted;
  }

  #miss(accession: string): void {
    this.notInDatabase++;
    if (this.#absent.size < maxExamples) this.#absent.add(accession);
  }

  result(): Record<string, unknown> {
    return {
      annotations_inserted: this.inserted,
      annotations_unchanged: this.unchanged,
      sequences_with_matches: this.#sequences.size,
      skipped_not_in_database: this.notInDatabase,
      absent_accessions: [...this.#absent],
    };
  }
}
