import { createHash } from 'node:crypto';
import { mkdir, readdir, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type EventLevel, ProblemError } from '@kindred/contracts';
import type { ArtifactStore } from '../../ground/artifacts/artifact-store.js';
import {
  bankFormat,
  proteinsBeside,
  proteinsIn,
  type ReferenceBank,
  readBank,
  writeBank,
} from '../compute/reference-bank.js';
import { withAdvisoryLock } from '../../store/postgres/advisory-lock.js';
import type { Database } from '../../store/postgres/db.js';
import { bankFingerprint } from '../../store/references/reference-bank.repository.js';
import { type BankSubject, referenceBankContent } from './reference-bank-content.js';
import type { BankContext } from './bank-context.js';
import { wordsFile } from './kept-words.js';
import { LastValue } from '../../ground/last-value.js';
import { isShared, SharedBanks } from './shared-banks.js';

export { type BankSubject, decodeVector } from './reference-bank-content.js';

export interface BankOptions {
  /** The coordinator found this key; it lets all batches of a job use one bank without another lookup. */
  key?: string;
  /** Machines share their banks in this store; a folder of this machine is ignored. */
  artifacts?: ArtifactStore;
  /** The function is called before a bank is built. */
  onBuild?: () => Promise<void>;
  /** The function is called with true if the bank was in memory. */
  asked?: (kept: boolean) => void;
  /** The function receives warnings; a bank that could not be shared still serves this machine. */
  emit?: (event: string, fields?: Record<string, unknown>, level?: EventLevel) => Promise<void>;
}

const banksKept = 8;

const banks = () =>
  new LastValue<ReferenceBank>({ most: proteinsBeside, weigh: ({ arrays }) => proteinsIn(arrays) });

/**
 * Gives the reference bank in shared memory. It comes from this process, else from the folder of banks, else
 * from the store where another machine put it; otherwise it is built now. Only one process of a machine
 * fetches or builds, and only one of the machines that share a store builds; the others wait. The key changes
 * with the vectors and the annotations, so a stale bank is never used.
 */
export async function ensureReferenceBank(
  { db, memory }: Pick<BankContext, 'db' | 'memory'>,
  cacheDir: string,
  subject: BankSubject,
  options: BankOptions = {},
): Promise<ReferenceBank> {
  const key = options.key ?? (await bankKey(db, subject));
  const folder = join(cacheDir, 'banks', key);
  let kept = true;
  const bank = await memory.part(banks).get(folder, () => {
    kept = false;
    return readOrMakeBank(db, cacheDir, { subject, key, folder }, options);
  });
  options.asked?.(kept);
  return bank;
}

async function readOrMakeBank(
  db: Database,
  cacheDir: string,
  wanted: WantedBank,
  options: BankOptions,
): Promise<ReferenceBank> {
  const { key, folder } = wanted;
  let bank = await readBank(folder);
  if (bank === null) {
    await mkdir(join(cacheDir, 'banks'), { recursive: true });
    bank = await withAdvisoryLock(db, `bank ${hostname()} ${cacheDir} ${key}`, async () => {
      const ready = await readBank(folder);
      if (ready !== null) return ready;
      await fetchOrBuild(db, wanted, options);
      await dropOldBanks(join(cacheDir, 'banks'));
      return readBank(folder);
    });
  }
  if (bank === null)
    throw new ProblemError(
      'internal_error',
      `The reference bank ${folder} vanished while it was read; run the job again.`,
    );
  const now = new Date();
  await utimes(folder, now, now).catch(() => {});
  return bank;
}

interface WantedBank {
  subject: BankSubject;
  key: string;
  folder: string;
}

async function fetchOrBuild(db: Database, wanted: WantedBank, options: BankOptions): Promise<void> {
  const { artifacts } = options;
  if (artifacts === undefined || !isShared(artifacts)) return build(db, wanted, options);
  const shared = new SharedBanks(artifacts, wanted.subject, options.emit);
  if (await shared.fetch(wanted.key, wanted.folder)) return;
  await withAdvisoryLock(db, `shared bank ${wanted.key}`, async () => {
    // Another machine may have built the bank in the meantime.
    if (await shared.fetch(wanted.key, wanted.folder)) return;
    await build(db, wanted, options);
    await shared.put(wanted.key, wanted.folder);
  });
}

async function build(
  db: Database,
  { subject, key, folder }: WantedBank,
  options: BankOptions,
): Promise<void> {
  // The vectors that a job began with may be gone. Other vectors under its key would give its batches
  // different references.
  if (options.key !== undefined && (await bankKey(db, subject)) !== key) {
    throw new ProblemError(
      'conflict',
      `The vectors or annotations of annotation set ${subject.set.id} changed while the job ran; run it again.`,
    );
  }
  await options.onBuild?.();
  await writeBank(folder, await referenceBankContent(db, subject, key));
}

async function bankKey(db: Database, subject: BankSubject): Promise<string> {
  const fingerprint = await bankFingerprint(db, subject.config.number, subject.set.number);
  if (fingerprint.vectors === 0) {
    throw new ProblemError(
      'conflict',
      `No protein of annotation set ${subject.set.id} has a vector in embedding configuration ${subject.config.id}: run compute_embeddings with it first.`,
    );
  }
  const text = JSON.stringify([bankFormat, subject.config.id, subject.set.id, fingerprint]);
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

async function dropOldBanks(folder: string): Promise<void> {
  const names = await readdir(folder);
  const aged = await Promise.all(
    names.map(async (name) => ({
      name,
      usedAt: (await stat(join(folder, name)).catch(() => null))?.mtimeMs ?? 0,
    })),
  );
  aged.sort((a, b) => b.usedAt - a.usedAt);
  for (const { name } of aged.slice(banksKept)) {
    await rm(join(folder, name), { recursive: true, force: true });
    await rm(wordsFile(join(folder, name)), { force: true });
  }
}
