// The scored calls of samples.mjs, the ways to learn from them how often databases hold a call, and how well each does.
import { binLookup, calibrationCurve, leastProteins } from '@kindred/kernels/calibration';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const sampleNames = ['swissprot', 'organisms'];
const folds = 5;

/** The calls of a sample in columns, with the aspect of each; what the protein is known to have is no call. */
export function readCalls(folder, name) {
  const about = JSON.parse(readFileSync(join(folder, `${name}.calls.json`), 'utf8'));
  const bytes = readFileSync(join(folder, `${name}.calls.f32`));
  const all = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  const columns = Object.fromEntries(
    about.columns.map((column, i) => [column, all.subarray(i * about.rows, (i + 1) * about.rows)]),
  );
  const aspectOf = Uint8Array.from(columns.term, (term) => about.aspect[term]);
  return { name, ...about, columns: { ...columns, aspect: aspectOf } };
}

const bound = (identity_from, unrecorded_from) => ({ identity_from, unrecorded_from });

/** The classes of calls that have a curve of their own: the first whose bounds the similar proteins reach. */
const divisions = {
  '': [bound(0, 0)],
  ', by unrecorded evidence': [bound(0, 0.5), bound(0, 0)],
  ', by nearness': [bound(0.6, 0), bound(0.4, 0), bound(0, 0)],
  ', by both': [bound(0.5, 0.5), bound(0, 0.5), bound(0.5, 0), bound(0, 0)],
};

/** The ways that are tried, those of fewer curves first: a score, and the bounds of its curves. */
export const ways = Object.entries(divisions).flatMap(([division, bounds]) =>
  (division === '' ? ['score', 'held', 'aligned'] : ['held', 'aligned']).map((score) => ({
    name: `${score}${division}`,
    score,
    classes: bounds.length,
    bounds,
    classOf: ({ nearest, unrecorded }, i) =>
      bounds.findIndex(
        ({ identity_from, unrecorded_from }) =>
          nearest[i] >= identity_from && unrecorded[i] >= unrecorded_from,
      ),
  })),
);

/** Places of the calls of one aspect, bare or of known proteins, by class of a way. */
export function placesOf({ columns, rows, isCounted = () => true }, { aspect, bare, way }) {
  const places = Array.from({ length: way.classes }, () => []);
  for (let i = 0; i < rows; i++)
    if (
      columns.aspect[i] === aspect &&
      columns.bare[i] === bare &&
      columns.own[i] === 0 &&
      isCounted(columns, i)
    )
      places[way.classOf(columns, i)].push(i);
  return places;
}

const foldOf = (protein) => protein % folds;

/** The curve of calls of several samples. */
export function curveOf(parts, score, options) {
  const length = parts.reduce((sum, { places }) => sum + places.length, 0);
  const points = {
    score: new Float64Array(length),
    isRight: new Uint8Array(length),
    protein: new Int32Array(length),
  };
  let at = 0;
  for (const { columns, places, number } of parts)
    for (const i of places) {
      points.score[at] = columns[score][i];
      points.isRight[at] = columns.right[i];
      points.protein[at++] = number * 1_000_000 + columns.protein[i];
    }
  return calibrationCurve(points, options);
}

/** Calls each with what the curves of the other folds say, by `visit(sample, place, probability)`. */
export function crossValidated(samples, { aspect, bare, way, minProteins = leastProteins }, visit) {
  const places = samples.map((sample) => placesOf(sample, { aspect, bare, way }));
  for (let one = 0; one < way.classes; one++)
    for (let fold = 0; fold < folds; fold++) {
      const parts = samples.map(({ columns }, number) => ({
        columns,
        number,
        places: places[number][one].filter((i) => foldOf(columns.protein[i]) !== fold),
      }));
      if (parts.every((part) => part.places.length === 0)) continue;
      const { bins } = curveOf(parts, way.score, { resamples: 1, minProteins });
      const binOf = binLookup(bins.map(({ low }) => low));
      samples.forEach((sample, number) => {
        for (const i of places[number][one])
          if (foldOf(sample.columns.protein[i]) === fold)
            visit(sample, i, bins[binOf(sample.columns[way.score][i])].probability);
      });
    }
}
