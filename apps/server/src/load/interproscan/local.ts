import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ProblemError } from '@kindred/contracts';
import { type InterproMatch, readInterproScan } from '@kindred/kernels/formats';
import type { SequenceRow } from '../../store/embeddings/embeddings.repository.js';

export interface LocalRun {
  command: string;
  /** The folder is created for the run and removed after it. */
  folder: string;
  applications: readonly string[];
  timeoutMs: number;
  signal: AbortSignal;
}

const searchPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const keptOutput = 4000;
/** InterProScan starts child processes, which must end with it; they get this much time. */
const killGraceMs = 5000;

/**
 * Runs InterProScan on sequences; the names in its table are their ids. The run requests the lookup of
 * entries, because without it no match would have one.
 * @throws ProblemError scan_failed with the last lines of its output
 */
export async function scanLocally(
  sequences: readonly SequenceRow[],
  run: LocalRun,
): Promise<InterproMatch[]> {
  await rm(run.folder, { recursive: true, force: true });
  await mkdir(run.folder, { recursive: true });
  try {
    const input = join(run.folder, 'sequences.fasta');
    const output = join(run.folder, 'matches.tsv');
    await writeFile(input, sequences.map(({ id, sequence }) => `>S${id}\n${sequence}\n`).join(''));
    const applications = run.applications.length === 0 ? [] : ['-appl', run.applications.join(',')];
    await execute(['-i', input, '-f', 'TSV', '-o', output, '-iprlookup', ...applications], run);
    const matches: InterproMatch[] = [];
    for await (const { records, rejected } of readInterproScan(createReadStream(output))) {
      matches.push(...records);
      if (rejected.length > 0) throw failed(`line ${rejected[0].line} of its table: ${rejected[0].reason}`);
    }
    return matches;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw failed('it left no table');
    throw error;
  } finally {
    await rm(run.folder, { recursive: true, force: true });
  }
}

function execute(args: readonly string[], { command, folder, timeoutMs, signal }: LocalRun): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    // The program gets its own process group, so that its children stop with it. It does not get our
    // environment, which holds secrets.
    const env = { PATH: searchPath, HOME: folder, LANG: 'C.UTF-8' };
    const child = spawn(command, args, {
      cwd: folder,
      detached: true,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    const listen = (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-keptOutput);
    };
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    let reason: unknown;
    const stop = (why: unknown) => {
      reason ??= why;
      killGroup(child.pid, 'SIGTERM');
      setTimeout(() => killGroup(child.pid, 'SIGKILL'), killGraceMs).unref();
    };
    const onAbort = () => stop(signal.reason);
    const timer = setTimeout(() => stop(failed(`it took more than ${timeoutMs / 1000} s`)), timeoutMs);
    signal.addEventListener('abort', onAbort, { once: true });
    const settle = (error: unknown) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      if (error === null) resolve();
      else reject(error);
    };
    child.on('error', (error) => settle(failed(error.message, error)));
    child.on('close', (code, killer) => {
      if (reason !== undefined) settle(reason);
      else if (code === 0) settle(null);
      else
        settle(failed(`it ended with ${killer ?? code}: ${said.trim().split('\n').slice(-5).join(' / ')}`));
    });
  });
}

function killGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The process may have ended already.
  }
}

function failed(text: string, cause?: unknown): ProblemError {
  return new ProblemError('scan_failed', `InterProScan failed: ${text}.`, { cause });
}
