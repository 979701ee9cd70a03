// Batches as an export makes them, of seeded numbers; a tenth of the nullable values is null. Their sums are kept as they are made.
import { Random } from '@kindred/kernels/arrays';
import { categoryFeatures, numericFeatures } from '@kindred/kernels/features';

const size = 20_000;
const accessions = Array.from({ length: 250 }, (_, i) => `P${10_000 + i}`);
const bank = { texts: { accessions: Array.from({ length: 500 }, (_, i) => `Q${20_000 + i}`) } };
const goIds = Array.from({ length: 5000 }, (_, i) => `GO:${String(i * 7).padStart(7, '0')}`);
const texts = {
  qualifier: ['enables', 'involved_in', null],
  evidence_code: ['IDA', 'IEA', 'IPI'],
  aspect: ['bpo', 'mfo', 'cco'],
};

/**
 * `sums` gets the sum of each column, and the count of its nulls under `<name> nulls`.
 * @returns {Generator<any, void>} LabelledBatch, of the bank only what a row group reads
 */
export function* labelledBatches(rowCount, columns, sums) {
  const random = new Random(1);
  const columnOf = new Map(columns.map((column) => [column.name, column]));
  const add = (name, value) => {
    sums[name] = (sums[name] ?? 0) + value;
  };
  const numbers = (name, count) => {
    const { type, nullable } = columnOf.get(name);
    return Float32Array.from({ length: count }, () => {
      const value = random.uint32() / 2 ** 32;
      if (nullable && random.uint32() % 10 === 0) {
        add(`${name} nulls`, 1);
        return Number.NaN;
      }
      const made = Math.fround(type === 'FLOAT' ? value : Math.floor(value * (type === 'INT32' ? 500 : 2)));
      add(name, made);
      return made;
    });
  };
  for (let done = 0; done < rowCount; done += size) {
    const count = Math.min(size, rowCount - done);
    const pick = (list) => Array.from({ length: count }, () => list[random.uint32() % list.length]);
    const label = Int32Array.from({ length: count }, () => Number(random.uint32() % 12 === 0));
    add(
      'label',
      label.reduce((sum, value) => sum + value, 0),
    );
    const rows = {
      rowCount: count,
      numbers: Object.fromEntries(numericFeatures.map((name) => [name, numbers(name, count)])),
      categories: Object.fromEntries(categoryFeatures.map((name) => [name, pick(texts[name] ?? [null])])),
      query: Int32Array.from({ length: count }, (_, i) => i % accessions.length),
      reference: Int32Array.from({ length: count }, (_, i) => i % 500),
    };
    const place = Int32Array.from({ length: count }, (_, i) => i);
    const labelled = { place, label, category: pick(['nk', 'lk', 'pk']), goId: pick(goIds) };
    yield { rows, labelled, accessions, bank, snapshotPair: 'v220-v226' };
  }
}
