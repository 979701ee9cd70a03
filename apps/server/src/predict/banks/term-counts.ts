import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type EnrichmentMethod, hasOwnCounts, type TermCounts } from '@kindred/kernels/enrichment';
import { z } from 'zod';
import { LastValue } from '../../ground/last-value.js';
import { annotatedTermPages } from '../../store/annotations/annotated-terms.repository.js';
import { findSnapshot } from '../../store/ontology/ontology.repository.js';
import { ontologyColumns, type StoredOntology } from '../../store/ontology/ontology-columns.repository.js';
import { countTermsTask } from '../compute/tasks/count-terms.js';
import type { BankContext } from './bank-context.js';

type Context = Pick<BankContext, 'db' | 'compute' | 'memory'> & { cacheDir: string };

export interface CountQuestion {
  /** The slim has its id, and its terms as numbers of the ontology; null means no slim. */
  slim: { id: string; terms: number[] } | null;
  method: EnrichmentMethod;
}

interface CountedSet {
  id: string;
  number: number;
  ontology_snapshot_id: string;
}

export interface SnapshotColumns {
  ontology: StoredOntology;
  snapshotId: string;
}

const plain: CountQuestion = { slim: null, method: 'classic' };
/** The folder keeps this many files; the oldest are deleted first. */
const filesKept = 32;
const counts = () => new LastValue<TermCounts>();
/** Counts that are being made, by the path of their file. */
const counting = () => new Map<string, Promise<TermCounts>>();

/**
 * Counts the proteins of an annotation set that have each term of an ontology. The counts are read from a
 * file beside the banks, which is made once from the whole set, because a complete set never changes. The
 * counting ends even if its caller has stopped waiting, so that the next caller finds the counts.
 */
export async function termCountsOf(
  set: CountedSet,
  { ontology, snapshotId }: SnapshotColumns,
  context: Context,
  asked: CountQuestion = plain,
): Promise<TermCounts> {
  const question = hasOwnCounts({ method: asked.method, slim: asked.slim?.terms ?? null }) ? asked : plain;
  // The key has the number of edges, because a later load can add edges to a snapshot.
  const snapshot = await findSnapshot(context.db, snapshotId);
  const key = [
    set.id,
    snapshotId,
    snapshot?.relationship_count,
    ...(question.slim === null ? [] : [question.slim.id]),
  ].join('-');
  return context.memory.part(counts).get(`${context.cacheDir} ${key}`, async () => {
    const folder = join(context.cacheDir, 'term-counts');
    const path = join(folder, `${key}.json`);
    const kept = await readCounts(path, ontology.termIds.length);
    if (kept !== null) return kept;
    return inTurn(context.memory.part(counting), path, async () => {
      const made = await countSet(set, { ontology, snapshotId, question }, context);
      // If the folder takes no files, this process counts again after its next start.
      await keepCounts(folder, path, made).catch(() => {});
      return made;
    });
  });
}

/** Makes each value once for all who ask meanwhile, and one after the other: a count holds the terms of a whole set in memory. */
function inTurn<Value>(
  making: Map<string, Promise<Value>>,
  key: string,
  make: () => Promise<Value>,
): Promise<Value> {
  const shared = making.get(key);
  if (shared !== undefined) return shared;
  const before = [...making.values()].at(-1);
  const value = Promise.resolve(before?.catch(() => {}))
    .then(make)
    .finally(() => making.delete(key));
  making.set(key, value);
  return value;
}

/** Counts the terms of a new set, so that the first comparison with it need not wait. */
export async function countSetTerms(
  set: CountedSet,
  {
    db,
    compute,
    memory,
    settings,
  }: Pick<BankContext, 'db' | 'compute' | 'memory'> & { settings: { cacheDir: string } },
): Promise<void> {
  const snapshotId = set.ontology_snapshot_id;
  const ontology = await ontologyColumns(db, snapshotId);
  await termCountsOf(set, { ontology, snapshotId }, { db, compute, memory, cacheDir: settings.cacheDir });
}

const column = z.array(z.int().min(0)).transform((values) => Int32Array.from(values));
const kept = z.object({ proteins: z.int().min(0), withTerm: column, withParent: column });

/** Reads the counts; null means that the file is missing or was cut off. */
async function readCounts(path: string, size: number): Promise<TermCounts | null> {
  try {
    const read = kept.parse(JSON.parse(await readFile(path, 'utf8')));
    return read.withTerm.length === size && read.withParent.length === size ? read : null;
  } catch {
    return null;
  }
}

async function keepCounts(folder: string, path: string, made: TermCounts): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}.draft`;
  const text = { ...made, withTerm: [...made.withTerm], withParent: [...made.withParent] };
  await writeFile(draft, JSON.stringify(text), { mode: 0o600 });
  await rename(draft, path);
  const files = await Promise.all(
    (await readdir(folder)).map(async (name) => ({
      name,
      madeAt: (await stat(join(folder, name)).catch(() => null))?.mtimeMs ?? 0,
    })),
  );
  files.sort((a, b) => b.madeAt - a.madeAt);
  for (const { name } of files.slice(filesKept)) await rm(join(folder, name), { force: true });
}

async function countSet(
  set: CountedSet,
  { ontology, snapshotId, question }: SnapshotColumns & { question: CountQuestion },
  { db, compute }: Context,
): Promise<TermCounts> {
  const numberOf = await numbersOfRows(set, { ontology, snapshotId }, db);
  const start = [0];
  const terms: number[] = [];
  for await (const page of annotatedTermPages(db, set.number))
    for (const { term_ids } of page) {
      for (const id of term_ids) {
        const number = numberOf.get(id);
        if (number !== undefined) terms.push(number);
      }
      start.push(terms.length);
    }
  const rows = { start: Int32Array.from(start), terms: Int32Array.from(terms) };
  const { rowIds: _, ...columns } = ontology;
  return compute.run(
    countTermsTask,
    { ontology: columns, rows, slim: question.slim?.terms ?? null, method: question.method },
    { signal: new AbortController().signal },
  );
}

/**
 * Gives numbers in the ontology for the rows that the set names its terms by; those rows may belong to
 * another snapshot.
 */
async function numbersOfRows(
  set: CountedSet,
  { ontology, snapshotId }: SnapshotColumns,
  db: Context['db'],
): Promise<Map<number, number>> {
  const own =
    set.ontology_snapshot_id === snapshotId ? ontology : await ontologyColumns(db, set.ontology_snapshot_id);
  const numberOf = new Map(ontology.termIds.map((goId, number) => [goId, number]));
  return new Map(
    Array.from(own.rowIds, (id, at): [number, number] => [id, numberOf.get(own.termIds[at]) ?? -1]).filter(
      ([, number]) => number >= 0,
    ),
  );
}
