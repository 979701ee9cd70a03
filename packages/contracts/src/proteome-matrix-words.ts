import { heatMapSvg } from '@kindred/kernels/proteome-matrix';
import type { z } from 'zod';
import type { proteomeMatrixReply } from './resources/proteome-matrix.js';
import { defaultMaxRate } from './vocabulary.js';

type ProteomeMatrix = z.infer<typeof proteomeMatrixReply>;

/** The maximum number of rows of a heat map, which one can still read, and the number of the one that nobody chose. */
export const mostDrawnRows = 200;
export const drawnRows = 60;

/** Names the proteomes as their runs; names that occur twice, and missing ones, have the id of the run, too. */
export function proteomeNames({ proteomes }: Pick<ProteomeMatrix, 'proteomes'>): string[] {
  const count = (name: string | null) => proteomes.filter((one) => one.name === name).length;
  return proteomes.map(({ name, prediction_set_id: id }) =>
    name === null ? `Run ${id.slice(0, 8)}` : count(name) > 1 ? `${name} (${id.slice(0, 8)})` : name,
  );
}

/** Draws the first rows of the matrix as a heat map, in SVG. */
export function matrixPicture(matrix: ProteomeMatrix, rows: number): string {
  const names = proteomeNames(matrix);
  return heatMapSvg({
    proteomes: matrix.proteomes.map(({ proteins }, at) => ({ name: names[at] ?? '', proteins })),
    rows: matrix.rows.slice(0, rows).map((row) => ({
      // A long name is cut at its end; the id stays whole.
      name: `${row.go_id} ${row.go_name}`,
      counts: row.counts,
      differs: isDifferent(row),
    })),
  });
}

export const isDifferent = ({ false_discovery_rate: rate }: ProteomeMatrix['rows'][number]) =>
  rate !== null && rate <= defaultMaxRate;

/** Gives the matrix as a table with two columns for each proteome: its proteins with the term, and their share. */
export function matrixTable(matrix: ProteomeMatrix): {
  columns: string[];
  rows: Record<string, string | number>[];
} {
  const names = proteomeNames(matrix);
  const six = (value: number | undefined) => Number((value ?? 0).toPrecision(6));
  const figures = ['p_value', 'false_discovery_rate', 'least_expected'] as const;
  const rows = matrix.rows.map(({ counts, shares, go_id, go_name, aspect, test, ...row }) => ({
    ...{ go_id, go_name, aspect, test },
    ...Object.fromEntries(figures.map((name) => [name, row[name] === null ? '' : six(row[name])])),
    ...Object.fromEntries(
      names.flatMap((name, at) => [
        [`${name} proteins`, counts[at] ?? 0],
        [`${name} share`, six(shares[at])],
      ]),
    ),
  }));
  const columns = ['go_id', 'go_name', 'aspect', 'test', ...figures];
  return { columns: [...columns, ...names.flatMap((name) => [`${name} proteins`, `${name} share`])], rows };
}

const count = (value: number) => value.toLocaleString('en');

/** Says in sentences what the matrix has, and what is left out of it or rough. */
export function matrixNotes(matrix: ProteomeMatrix): string[] {
  const { rows, row_count, tested, proteomes, obo_version } = matrix;
  const names = proteomeNames(matrix);
  const differing = rows.filter(isDifferent);
  const rough = differing.filter((row) => row.test === 'chi_square' && row.least_expected < 5).length;
  return [
    `${proteomes.length} proteomes, counted by the Gene Ontology of ${obo_version.replace('releases/', '')}: ${count(rows.length)} of ${count(row_count)} terms are given, ${count(tested)} were tested, ${count(differing.length)} of those given differ at a false discovery rate of ${defaultMaxRate}.`,
    ...(rough === 0
      ? []
      : [
          `For ${rough} of them the chi-square test is rough, because a proteome would have fewer than 5 proteins with or without the term (least_expected).`,
        ]),
    ...proteomes.flatMap(({ terms_left_out: lost }, at) =>
      lost === 0 ? [] : [`${names[at]}: ${lost} terms that this ontology does not have are left out.`],
    ),
    'Proteins count as independent: relatives in one proteome and in several make small probabilities smaller than they should be.',
  ];
}
