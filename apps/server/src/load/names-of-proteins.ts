import type { AnnotationRecord, MetadataRecord } from '@kindred/contracts';

/** One transaction names this many proteins, because it holds locks on them. */
const perBatch = 5000;

/**
 * Keeps the names and genes of proteins from the rows of an annotation file; the first of each counts. A
 * protein takes about 200 bytes.
 */
export class NamesOfProteins {
  readonly #named = new Map<
    number,
    Pick<MetadataRecord, 'line' | 'accession' | 'proteinName' | 'geneName'>
  >();
  #last = -1;

  add(proteinId: number, { line, accession, name, symbol }: AnnotationRecord): void {
    // Rows of one protein follow each other.
    if (proteinId === this.#last) return;
    this.#last = proteinId;
    if (this.#named.has(proteinId)) return;
    const proteinName = name || null;
    // Some files repeat the accession where the symbol is missing.
    const geneName = symbol && symbol !== accession ? symbol : null;
    if (proteinName !== null || geneName !== null)
      this.#named.set(proteinId, { line, accession, proteinName, geneName });
  }

  /** Yields the names in the order of accessions, in batches. */
  *batches(): Generator<MetadataRecord[]> {
    const rows = [...this.#named.values()].sort((a, b) => (a.accession < b.accession ? -1 : 1));
    for (let from = 0; from < rows.length; from += perBatch)
      yield rows
        .slice(from, from + perBatch)
        .map((row) => ({ ...row, reviewed: null, entryName: null, organism: null, texts: {} }));
  }
}
