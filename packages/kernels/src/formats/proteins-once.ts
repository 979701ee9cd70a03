import type { FastaRecord } from './fasta.js';
import type { ParsedBatch } from './read-batches.js';

/**
 * Adds proteins to batches, each accession once: the same protein at several places of a genome is one query.
 * The memory is an accession and a sequence for each protein.
 */
export class ProteinsOnce {
  readonly #seen = new Map<string, { sequence: string; line: number }>();

  add(record: FastaRecord, batch: ParsedBatch<FastaRecord>): void {
    const first = this.#seen.get(record.accession);
    if (first === undefined) {
      this.#seen.set(record.accession, { sequence: record.sequence, line: record.line });
      batch.records.push(record);
    } else if (first.sequence === record.sequence) batch.skipped++;
    else
      batch.rejected.push({
        line: record.line,
        record: record.accession,
        reason: `${record.accession} has another sequence than in line ${first.line}; give each protein its own /protein_id or ID`,
      });
  }

  get count(): number {
    return this.#seen.size;
  }
}
