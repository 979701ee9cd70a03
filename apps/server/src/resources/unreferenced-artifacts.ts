import { exampleArtifacts } from '@kindred/contracts/resources/maintenance';
import type { ArtifactStore, ListedArtifact } from '../ground/artifacts/artifact-store.js';
import {
  existingBankSubjects,
  oldestOpenJob,
  unnamedKeys,
} from '../store/maintenance/artifact-owners.repository.js';
import type { Database } from '../store/postgres/db.js';

export interface SweptArtifacts {
  count: number;
  sizeBytes: number;
  /** The examples are keys of the first few objects. */
  examples: string[];
  /** The flag is true if the sweep stopped at its limit, so more objects may be left. */
  more: boolean;
}

export interface SweepOptions {
  /** Objects that are younger than this are kept. */
  olderThanDays: number;
  /** At most this many objects are counted or deleted. */
  limit: number;
  signal?: AbortSignal;
  /** The time counts milliseconds since 1970. */
  now?: number;
}

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
/**
 * This service writes these keys. Objects under other keys, and the exported audit log, are never deleted: a
 * bucket may be shared, and a dataset or a model may be stored before it is registered by reference.
 */
const ownKeys = [
  new RegExp(`^datasets/${uuid}/\\d+/(train\\.parquet|eval\\.parquet|manifest\\.json)$`),
  new RegExp(`^evaluation-results/${uuid}/[^/]+$`),
  new RegExp(`^reference-files/${uuid}$`),
  new RegExp(`^reference-packs/${uuid}\\.kindred$`),
  /^rerankers\/[^/]+\/model\.txt$/,
  /^doctor\/\d+$/,
];
const bankKey = new RegExp(`^banks/(${uuid})/(${uuid})/[^/]+$`);
/** One query asks about this many objects. */
const chunk = 500;
/** The margin allows for a difference between the clocks of the store and of the database. */
const clockMarginMs = 3_600_000;
const dayMs = 86_400_000;

/** Counts objects that nothing refers to, without changing anything. */
export function previewUnreferencedArtifacts(
  db: Database,
  artifacts: ArtifactStore,
  options: SweepOptions,
): Promise<SweptArtifacts> {
  return sweep(db, artifacts, options, async () => {});
}

/**
 * Deletes objects that nothing refers to. Objects of jobs that have not ended stay: all that are younger than
 * the oldest open job.
 */
export function removeUnreferencedArtifacts(
  db: Database,
  artifacts: ArtifactStore,
  options: SweepOptions,
): Promise<SweptArtifacts> {
  return sweep(db, artifacts, options, ({ uri }) => artifacts.delete(uri));
}

async function sweep(
  db: Database,
  artifacts: ArtifactStore,
  options: SweepOptions,
  use: (object: ListedArtifact) => Promise<void>,
): Promise<SweptArtifacts> {
  const swept: SweptArtifacts = { count: 0, sizeBytes: 0, examples: [], more: false };
  for await (const objects of unreferenced(db, artifacts, options))
    for (const object of objects) {
      if (swept.count === options.limit) return { ...swept, more: true };
      options.signal?.throwIfAborted();
      await use(object);
      swept.count++;
      swept.sizeBytes += object.sizeBytes;
      if (swept.examples.length < exampleArtifacts) swept.examples.push(object.key);
    }
  return swept;
}

async function* unreferenced(
  db: Database,
  artifacts: ArtifactStore,
  { olderThanDays, signal, now = Date.now() }: SweepOptions,
): AsyncGenerator<ListedArtifact[]> {
  const openSince = (await oldestOpenJob(db))?.getTime() ?? Number.POSITIVE_INFINITY;
  const writtenBefore = Math.min(now - olderThanDays * dayMs, openSince - clockMarginMs);
  let held: ListedArtifact[] = [];
  for await (const object of artifacts.list()) {
    signal?.throwIfAborted();
    const ours = bankKey.test(object.key) || ownKeys.some((pattern) => pattern.test(object.key));
    if (!ours || object.modifiedAt.getTime() >= writtenBefore) continue;
    held.push(object);
    if (held.length < chunk) continue;
    yield await unnamedOf(db, held);
    held = [];
  }
  if (held.length > 0) yield await unnamedOf(db, held);
}

async function unnamedOf(db: Database, objects: readonly ListedArtifact[]): Promise<ListedArtifact[]> {
  const banks = objects.flatMap((object) => {
    const [, configId, setId] = bankKey.exec(object.key) ?? [];
    return configId === undefined ? [] : [{ object, configId, setId }];
  });
  const exists = await existingBankSubjects(db, banks);
  const gone = banks.filter((_, i) => !exists[i]).map(({ object }) => object);
  const others = objects.filter(({ key }) => !bankKey.test(key));
  const unnamed = new Set(
    await unnamedKeys(
      db,
      others.map(({ key }) => key),
    ),
  );
  return [...gone, ...others.filter(({ key }) => unnamed.has(key))];
}
