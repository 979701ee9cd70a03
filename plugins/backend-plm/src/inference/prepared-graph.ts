import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, statfs, utimes } from 'node:fs/promises';
import { cpus } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { InferenceSession } from 'onnxruntime-common';
import type { Runtime } from '../runtime/load.js';
import { openGraph, versionOf } from './runtime.js';

/**
 * A prepared graph is a folder next to the weights. It has the graph, and the weights as float32 numbers or int8, usually in the order in
 * which the matrix kernels of this processor read them. The runtime maps that file into memory, so that all threads and all processes of
 * a machine share one copy of the weights. The results are the same bits.
 */
const graphFile = 'graph.onnx';
const weightsFile = 'weights.bin';
const folderPrefix = 'kindred-prepared-';
/** The number of prepared graphs that are kept; each takes about twice the size of the weights on disk. */
const keptGraphs = 2;
/** The number of bytes to leave free on the disk. */
const defaultReserveBytes = 1 << 30;
/** The time without growth after which a draft counts as left by a killed process. */
const defaultDeadAfterMs = 120_000;
const pollMs = 200;

export interface GraphToPrepare {
  runtime: Runtime;
  /** The graph, whose tensors refer to `weightFiles` in the same folder. */
  graph: string;
  folder: string;
  weightFiles: readonly string[];
  weightBytes: number;
  /** Whether the weights keep their order. */
  asStored: boolean;
  /** A function that runs a few tokens, because a prepared graph must give the same bits as the graph. */
  probe: (session: InferenceSession) => Promise<readonly Float32Array[]>;
}

/**
 * Returns the path of the prepared graph, which is made first if it is missing. One process makes it, and the others wait. The result is
 * null if the folder cannot be written or its disk has no room; then the graph itself can be opened.
 */
export async function preparedGraph(
  source: GraphToPrepare,
  { reserveBytes = defaultReserveBytes, deadAfterMs = defaultDeadAfterMs } = {},
): Promise<string | null> {
  const { folder, weightBytes } = source;
  const place = join(folder, `${folderPrefix}${await keyOf(source)}`);
  const path = join(place, graphFile);
  const draft = `${place}.draft`;
  for (;;) {
    if (await isThere(path)) {
      await utimes(place, new Date(), new Date()).catch(() => {});
      return path;
    }
    if (!(await hasRoom(folder, 2 * weightBytes + reserveBytes))) return null;
    const made = await mkdir(draft).then(
      () => 'mine' as const,
      (error: NodeJS.ErrnoException) => (error.code === 'EEXIST' ? ('other' as const) : null),
    );
    if (made === null) return null;
    if (made === 'mine') {
      const isMade = await prepare(source, draft, place);
      if (isMade) await removeOld(folder, basename(place));
      return isMade ? path : null;
    }
    await whileGrowing(draft, deadAfterMs);
  }
}

async function prepare(
  { runtime, graph, asStored, probe }: GraphToPrepare,
  draft: string,
  place: string,
): Promise<boolean> {
  const probed = async (session: InferenceSession): Promise<Buffer> => {
    try {
      return Buffer.concat((await probe(session)).map((states) => Buffer.from(states.buffer)));
    } finally {
      await session.release();
    }
  };
  try {
    const prepared = { graph: join(draft, graphFile), weights: weightsFile };
    const expected = await probed(
      await openGraph(runtime, graph, 'cpu', { optimisation: 'basic', asStored, prepared }),
    );
    const found = await probed(
      await openGraph(runtime, prepared.graph, 'cpu', { optimisation: 'disabled', asStored }),
    );
    if (!found.equals(expected)) throw new Error('the prepared graph gives other numbers');
    await rename(draft, place);
    return true;
  } catch {
    // The error is ignored: the graph itself can still be opened, or its error shows why not.
    await rm(draft, { recursive: true, force: true }).catch(() => {});
    return isThere(join(place, graphFile));
  }
}

/** Returns the key of a prepared graph: the content of graph and weights, and everything that the order of the weights depends on. */
async function keyOf({ runtime, graph, folder, weightFiles, asStored }: GraphToPrepare): Promise<string> {
  const hash = createHash('sha256').update(await readFile(graph));
  for (const name of [...weightFiles].sort()) {
    const { size, mtimeMs } = await stat(join(folder, name));
    hash.update(`${name} ${size} ${mtimeMs}\n`);
  }
  hash.update(
    `${asStored ? 'as stored' : 'ordered'} ${versionOf(runtime)} ${process.platform} ${process.arch} ${await processor()}`,
  );
  return hash.digest('hex').slice(0, 16);
}

/** Describes the processor. Processors with other instructions use other kernels, and they may share the folder of models. */
async function processor(): Promise<string> {
  const text = await readFile('/proc/cpuinfo', 'utf8').catch(() => '');
  return `${cpus()[0]?.model ?? ''} ${/^(flags|Features)\s*:.*$/m.exec(text)?.[0] ?? ''}`;
}

async function hasRoom(folder: string, bytes: number): Promise<boolean> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize >= bytes;
}

/** Waits until the draft is gone, or removes it because nobody writes it. */
async function whileGrowing(draft: string, deadAfterMs: number): Promise<void> {
  let size = -1;
  let changedAt = Date.now();
  for (;;) {
    const now = await sizeOf(draft);
    if (now === null) return;
    if (now !== size) changedAt = Date.now();
    size = now;
    if (Date.now() - changedAt > deadAfterMs) break;
    await sleep(pollMs);
  }
  await rm(draft, { recursive: true, force: true }).catch(() => {});
}

async function sizeOf(draft: string): Promise<number | null> {
  if (!(await isThere(draft))) return null;
  const { size } = await stat(join(draft, weightsFile)).catch(() => ({ size: 0 }));
  return size;
}

/** Removes all graphs except those that were opened last. A process that has an old one open keeps its mapping. */
async function removeOld(folder: string, newest: string): Promise<void> {
  const found = await Promise.all(
    (await readdir(folder))
      .filter((name) => name.startsWith(folderPrefix) && !name.endsWith('.draft') && name !== newest)
      .map(async (name) => ({ name, usedAt: (await stat(join(folder, name))).mtimeMs })),
  );
  for (const { name } of found.sort((a, b) => b.usedAt - a.usedAt).slice(keptGraphs - 1))
    await rm(join(folder, name), { recursive: true, force: true }).catch(() => {});
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
