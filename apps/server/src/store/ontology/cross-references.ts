import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import {
  type CrossReferences,
  crossReferencesOf,
  noCrossReferences,
} from '@kindred/kernels/cross-references';
import { type External2GoRecord, readExternal2Go } from '@kindred/kernels/formats';
import { examplesFolder } from '../../ground/folders.js';
import { LastValue } from '../../ground/last-value.js';
import type { Queryable } from '../postgres/connection.js';

const release = '2019-01-27';
const file = `go-cross-references-${release}.txt.gz`;

/** The file of the product, in words for the header of a file of results. */
export const crossReferencesText = `EC and Rhea of each term as in Gene Ontology ${release} (${file}); none where it gives none`;

/** Gives the cross-references of a term by its GO id. */
export type CrossReferencesOf = (goId: string) => CrossReferences;

/** The file is read once for each handle, because it never changes. */
const readBy = new WeakMap<object, LastValue<CrossReferencesOf>>();

/**
 * Reads the cross-references that come with the product. The ontology that is loaded has none where it was made from a database
 * without them, as the shipped one was; a GO id keeps its meaning, so those of another release hold for it.
 */
export async function termCrossReferences(db: Queryable): Promise<CrossReferencesOf> {
  const kept = readBy.get(db) ?? new LastValue<CrossReferencesOf>();
  readBy.set(db, kept);
  return kept.get(file, async () => {
    const text = await promisify(gunzip)(await readFile(join(examplesFolder, file)));
    const records: External2GoRecord[] = [];
    for await (const batch of readExternal2Go([text])) records.push(...batch.records);
    const references = crossReferencesOf(records);
    return (goId) => references.get(goId) ?? noCrossReferences;
  });
}
