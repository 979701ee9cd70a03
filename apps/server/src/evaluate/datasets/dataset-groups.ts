import { categoryFeatures, numericFeatures } from '@kindred/kernels/features';
import type { ReferenceBank } from '../../predict/compute/reference-bank.js';
import type { LabelledRows } from './dataset-labels.js';
import type { FeatureRows } from '../../predict/feature-rows.js';
import type { ParquetGroup } from '../../ground/parquet-stream.js';

export interface LabelledBatch {
  rows: FeatureRows;
  labelled: LabelledRows;
  accessions: readonly string[];
  bank: ReferenceBank;
  snapshotPair: string;
}

/** A group of 50,000 rows and 62 columns has about 12 MB of numbers. */
export const rowsPerGroup = 50_000;

/**
 * Cuts labelled batches into row groups of equal size, independent of the batch size, so that a file's bytes
 * depend only on the data. One group is in memory at a time.
 */
export class GroupBuilder {
  #rowCount = 0;
  #numbers: Record<string, Float32Array> = {};
  #texts: Record<string, (string | null)[]> = {};
  #label = new Int32Array();
  readonly #size: number;

  constructor(size: number = rowsPerGroup) {
    this.#size = size;
    this.#begin();
  }

  /** Yields each group as soon as it is full. */
  *add(batch: LabelledBatch): Generator<ParquetGroup> {
    const { place } = batch.labelled;
    for (let from = 0; from < place.length; ) {
      const count = Math.min(place.length - from, this.#size - this.#rowCount);
      this.#append(batch, from, count);
      from += count;
      if (this.#rowCount === this.#size) yield this.take();
    }
  }

  /** Returns the remaining rows; the group is empty if there are none. */
  take(): ParquetGroup {
    const rowCount = this.#rowCount;
    const numbers = Object.entries(this.#numbers).map(([name, values]) => [
      name,
      values.subarray(0, rowCount),
    ]);
    const group = {
      rowCount,
      values: { ...Object.fromEntries(numbers), ...this.#texts, label: this.#label.subarray(0, rowCount) },
    };
    this.#begin();
    return group;
  }

  #begin(): void {
    this.#rowCount = 0;
    this.#numbers = Object.fromEntries(numericFeatures.map((name) => [name, new Float32Array(this.#size)]));
    this.#texts = Object.fromEntries(
      [...keyColumns, ...categoryFeatures].map((name): [string, (string | null)[]] => [name, []]),
    );
    this.#label = new Int32Array(this.#size);
  }

  #append(batch: LabelledBatch, from: number, count: number): void {
    const { rows, labelled, accessions, bank } = batch;
    const place = labelled.place.subarray(from, from + count);
    for (const name of numericFeatures) {
      const target = this.#numbers[name];
      const source = rows.numbers[name];
      for (let i = 0; i < count; i++) target[this.#rowCount + i] = source[place[i]];
    }
    for (const name of categoryFeatures)
      for (const at of place) this.#texts[name].push(rows.categories[name][at]);
    for (let i = 0; i < count; i++) {
      const at = place[i];
      this.#texts.protein_accession.push(accessions[rows.query[at]]);
      this.#texts.go_id.push(labelled.goId[from + i]);
      this.#texts.ref_protein_accession.push(bank.texts.accessions[rows.reference[at]]);
      this.#texts.category.push(labelled.category[from + i]);
      this.#texts.snapshot_pair.push(batch.snapshotPair);
      this.#label[this.#rowCount + i] = labelled.label[from + i];
    }
    this.#rowCount += count;
  }
}

const keyColumns = ['protein_accession', 'go_id', 'ref_protein_accession', 'category', 'snapshot_pair'];
