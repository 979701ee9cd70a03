import { createHash } from 'node:crypto';
import {
  type EmbeddingConfigRow,
  findEmbeddingConfig,
} from '../../store/embeddings/embedding-configs.repository.js';
import type { PackSubject } from '../../store/references/pack-tables.js';
import { packedRows } from '../../store/references/reference-pack.repository.js';
import type { Queryable, Transaction } from '../../store/postgres/db.js';
import { referenceProteinsSha256 } from '../../store/references/reference-proteins.repository.js';
import type { ReferencePart } from '../../store/references/references.repository.js';
import { recipeOf } from '../../predict/embeddings/compute-embeddings-batch.js';

/** The rows of these tables of a pack identify a reference. */
const identifyingTables = ['proteins', 'annotations', 'interpro-go'] as const;
type IdentifyingTable = (typeof identifyingTables)[number];

/**
 * Computes the SHA-256 of the rows of a reference from their text in a pack, which depends on no id of the
 * database and on no order of loading. A protein counts by its accession, its sequence (MD5) and its taxon;
 * its name belongs to the catalogue.
 */
export class RowDigests {
  readonly #digests = {
    proteins: createHash('sha256'),
    annotations: createHash('sha256'),
    'interpro-go': createHash('sha256'),
  };

  /** Hands the rows on unchanged, and digests them. */
  async *watch(table: string, rows: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    if (table === 'proteins') yield* this.#watchProteins(rows);
    else if (table === 'annotations' || table === 'interpro-go') yield* this.#watchWhole(table, rows);
    else yield* rows;
  }

  async *#watchWhole(
    table: Exclude<IdentifyingTable, 'proteins'>,
    rows: AsyncIterable<Buffer>,
  ): AsyncGenerator<Buffer> {
    for await (const chunk of rows) {
      this.#digests[table].update(chunk);
      yield chunk;
    }
  }

  async *#watchProteins(rows: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let rest = '';
    for await (const chunk of rows) {
      // Chunks are read as bytes, because a chunk may end within a letter.
      const lines = (rest + chunk.toString('latin1')).split('\n');
      rest = lines.pop() as string;
      this.#digests.proteins.update(lines.map(identityOfProtein).join(''), 'latin1');
      yield chunk;
    }
    if (rest !== '') this.#digests.proteins.update(identityOfProtein(rest), 'latin1');
  }

  /** Returns the digests in the order of `identifyingTables`. Callers ask once, after all rows. */
  finish(): string[] {
    return identifyingTables.map((table) => this.#digests[table].digest('hex'));
  }
}

/** @param line a row of `proteins` as pack-tables.ts writes it */
function identityOfProtein(line: string): string {
  const columns = line.split('\t');
  return `${columns[0]}\t${columns.slice(-2).join('\t')}\n`;
}

export async function storedRowDigests(trx: Transaction, subject: PackSubject): Promise<string[]> {
  const digests = new RowDigests();
  for (const table of identifyingTables) {
    const rows = digests.watch(table, packedRows(trx, table, subject));
    for (let step = await rows.next(); step.done !== true; ) step = await rows.next();
  }
  return digests.finish();
}

interface IdentifiedContent {
  oboSha256: string;
  configIds: readonly string[];
  parts: readonly ReferencePart[];
}

/**
 * Computes the identity of a reference (SHA-256, hexadecimal), which is the same on every machine. It covers
 * the ontology file, the rows, the recipe of each configuration of vectors, in order, and the imported files
 * of vectors. `RowDigests` makes `rowDigests`.
 */
export async function referenceContentSha256(
  db: Queryable,
  content: IdentifiedContent,
  rowDigests: readonly string[],
): Promise<string> {
  const { oboSha256, configIds, parts } = content;
  const imported = parts.flatMap(({ kind, sha256 }) => (kind === 'vectors' ? [String(sha256)] : [])).sort();
  const recipes: string[] = [];
  for (const id of configIds) recipes.push(recipeText(await findEmbeddingConfig(db, id)));
  return createHash('sha256')
    .update([oboSha256, ...rowDigests, ...recipes, ...imported].join('\n'))
    .digest('hex');
}

/** Computes the identity that version 0.2.0 gave to a stored reference. */
export async function earlierContentSha256(
  db: Queryable,
  content: IdentifiedContent,
  stored: { referenceNumber: number; setNumber: number },
): Promise<string> {
  const rows = await referenceProteinsSha256(db, stored.referenceNumber, stored.setNumber);
  return referenceContentSha256(db, content, [rows]);
}

/**
 * The text has everything that the vectors depend on. Ids, counts and descriptions belong to this database
 * alone, so they are left out.
 */
function recipeText(config: EmbeddingConfigRow | undefined): string {
  if (config === undefined) return '';
  const recipe = { ...recipeOf(config), dimension: config.dimension };
  return JSON.stringify(Object.entries(recipe).sort(([a], [b]) => (a < b ? -1 : 1)));
}
