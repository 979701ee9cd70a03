import {
  categoryFeatures,
  emptyFeatureTable,
  type FeatureTable,
  numericFeatures,
} from '@kindred/kernels/features';
import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../postgres/connection.js';
import { predictedProteinPages } from './predictions.repository.js';

/**
 * A page has feature rows of whole proteins: by protein accession, then GO id (both in byte order), one row
 * per (protein, term).
 */
export interface FeaturePage extends FeatureTable {
  accessions: string[];
  goIds: string[];
  goNames: string[];
  goTermIds: number[];
  /** Each pair names its nearest source. */
  references: string[];
}

export interface FeatureFilter {
  /** Only the protein of this accession is read. */
  accession?: string;
  aspect?: 'bpo' | 'mfo' | 'cco';
}

/**
 * A page has few proteins, because each row has some 60 columns, and the API yields to its event loop between
 * pages.
 */
const proteinsPerPage = 25;

/**
 * Reads all feature rows of a set in pages of whole proteins, so that a reader holds one page, whatever the
 * set's size. Rows and their order are the same however the prediction was cut into batches. A set that was
 * made without any feature flag has none.
 */
export async function* featurePages(
  db: Queryable,
  setNumber: number,
  filter: FeatureFilter = {},
): AsyncIterable<FeaturePage> {
  if (filter.accession !== undefined) {
    const page = await featuresOfProteins(db, setNumber, [filter.accession], filter);
    if (page.rowCount > 0) yield page;
    return;
  }
  for await (const accessions of predictedProteinPages(db, setNumber, proteinsPerPage)) {
    const page = await featuresOfProteins(db, setNumber, accessions, filter);
    if (page.rowCount > 0) yield page;
  }
}

/**
 * One text has all numbers of a row, because the driver is slower with 50 cells than with one. Null is empty.
 */
const numbers: RawBuilder<string> = sql`format(${sql.lit(numericFeatures.map(() => '%s').join(','))}, ${columns(numericFeatures)})`;
type Row = Record<string, number | string | null>;

function columns(names: readonly string[]): RawBuilder<unknown> {
  return sql.join(names.map((name) => sql.ref(`f.${name}`)));
}

/**
 * Reads feature rows of the given proteins, in the order of `featurePages`. The proteins are joined, not
 * compared with a list: the planner then looks them up in both tables of the view, by index.
 */
export async function featuresOfProteins(
  db: Queryable,
  setNumber: number,
  accessions: readonly string[],
  filter: Pick<FeatureFilter, 'aspect'> = {},
): Promise<FeaturePage> {
  const ofAspect = filter.aspect === undefined ? sql`` : sql`and f.aspect = ${filter.aspect}`;
  const { rows } = await sql<Row>`
    select f.protein_accession as pair_protein, t.go_id as pair_term, t.name as pair_term_name, f.go_term_id as pair_term_id,
           f.ref_protein_accession as pair_reference, ${columns(categoryFeatures)}, ${numbers} as pair_numbers
    from unnest(${accessions}::text[]) asked join go_prediction_features f on f.protein_accession = asked
    join go_term t on t.id = f.go_term_id
    where f.prediction_set_number = ${setNumber} ${ofAspect}
    order by f.protein_accession collate "C", t.go_id collate "C"`.execute(db);
  return pageOf(rows);
}

function pageOf(rows: Row[]): FeaturePage {
  const table = emptyFeatureTable(rows.length);
  const values = numericFeatures.map((name) => table.numbers[name]);
  for (let at = 0; at < rows.length; at++) {
    const texts = (rows[at].pair_numbers as string).split(',');
    for (let column = 0; column < texts.length; column++) {
      const text = texts[column];
      if (text !== '') values[column][at] = text === 't' ? 1 : text === 'f' ? 0 : Number(text);
    }
  }
  for (const name of categoryFeatures) table.categories[name] = rows.map((row) => row[name] as string | null);
  return {
    ...table,
    accessions: rows.map((row) => row.pair_protein as string),
    goIds: rows.map((row) => row.pair_term as string),
    goNames: rows.map((row) => row.pair_term_name as string),
    goTermIds: rows.map((row) => row.pair_term_id as number),
    references: rows.map((row) => row.pair_reference as string),
  };
}
