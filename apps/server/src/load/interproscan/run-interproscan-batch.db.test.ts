import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { sql } from 'kysely';
import { patience } from '@kindred/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { closeDatabase, type Database, openDatabase } from '../../store/postgres/connection.js';
import { sequenceMd5 } from '../../store/proteins/sequences.repository.js';
import { loadingBench } from '../../testing/loading-context.js';
import { startStubServer, type StubServer } from '../../testing/stub-server.js';
import { testDatabase, type TestDatabase } from '../../testing/test-database.js';
import { insertProteins } from '../insert-proteins.js';
import { runInterproscanBatch } from './run-interproscan-batch.js';

let database: TestDatabase;
let db: Database;
let folder: string;
let stub: StubServer;
let answer: (request: IncomingMessage, response: ServerResponse, body: URLSearchParams) => boolean;
/** The test server accepted these submissions, found by id. */
let taken: Map<string, { sequence: string; title: string; looks: number }>;

const sequences = ['MKTAYIAK', 'MKLVW', 'MKLVWA', 'MKLVWAC', 'MKLVWACD'];
const row = (sequence: string, name = 'x') =>
  `${name}\t${sequenceMd5(sequence)}\t${sequence.length}\tPfam\tPF00001\td\t1\t4\t1e-9\tT\t03-09-2024\tIPR000001\tname\t-\t-\n`;

beforeAll(async () => {
  database = await testDatabase();
  db = openDatabase(database.url, 5);
  folder = await mkdtemp(join(tmpdir(), 'kindred-scan-'));
  const fasta = sequences.map((sequence, i) => `>P${i + 1}\n${sequence}\n`).join('');
  await writeFile(join(folder, 'proteins.fasta'), fasta);
  const fasta_url = pathToFileURL(join(folder, 'proteins.fasta')).href;
  await loadingBench(db, { importDirs: [folder] }).run(insertProteins, { fasta_url });
  stub = await startStubServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const body = new URLSearchParams(text);
    if (!answer(request, response, body)) serve(request, response, body);
  });
});
afterAll(async () => {
  await stub.close();
  await rm(folder, { recursive: true });
  await closeDatabase(db);
  await database.close();
});
afterEach(async () => {
  stub.requests.length = 0;
  await sql`truncate interpro_annotation, interpro_scan, interproscan_submission`.execute(db);
});

function serve(request: IncomingMessage, response: ServerResponse, body: URLSearchParams): void {
  const [, action, id] = (request.url ?? '').split('/');
  if (action === 'run') {
    expect(request.method).toBe('POST');
    expect(body.get('email')).toBe('lab@example.org');
    response.end(take(body));
    return;
  }
  const job = taken.get(id);
  if (job === undefined) response.end('NOT_FOUND');
  else if (action === 'status') response.end(job.looks++ === 0 ? 'RUNNING' : 'FINISHED');
  else response.end(row(job.sequence, 'EMBOSS_001'));
}
function take(body: URLSearchParams): string {
  const id = `iprscan5-R2026-${taken.size + 1}-p1m`;
  taken.set(id, { sequence: String(body.get('sequence')), title: String(body.get('title')), looks: 0 });
  return id;
}

function remoteBench() {
  taken = new Map();
  answer = () => false;
  return loadingBench(db, {
    allowedHosts: [stub.host],
    interproscan: { command: null, serviceUrl: stub.url, email: 'lab@example.org' },
  });
}
const payload = { interpro_release: '108.0', poll_seconds: 0.01 };
const stored = async () =>
  (await sql<{ n: number }>`select count(*) as n from interpro_annotation`.execute(db)).rows[0].n;
const submissionsOf = () => [...taken.values()].map(({ sequence }) => sequence).sort();

describe('run_interproscan_batch at a job service', () => {
  it('scans each sequence once, and none again for the same release', async () => {
    const bench = remoteBench();
    const result = await bench.run(runInterproscanBatch, { ...payload, max_running: 2 });
    expect(result).toMatchObject({
      service: 'ebi',
      sequences: 5,
      sequences_scanned: 5,
      submitted: 5,
      annotations_inserted: 5,
      sequences_failed: 0,
      uncertain: 0,
    });
    expect(submissionsOf()).toEqual([...sequences].sort());
    expect(await bench.run(runInterproscanBatch, payload)).toMatchObject({
      sequences_skipped: 5,
      submitted: 0,
    });
    const other = await bench.run(runInterproscanBatch, {
      ...payload,
      interpro_release: '109.0',
      accessions: ['P1'],
    });
    expect(other).toMatchObject({ sequences: 1, submitted: 1 });
  });

  it('after a restart asks for what it submitted, and submits nothing twice', async () => {
    const bench = remoteBench();
    const jobId = randomUUID();
    const stop = new AbortController();
    // The worker dies after the service took the third sequence and before its id was stored.
    answer = (request, response, body) => {
      if (!request.url?.startsWith('/run') || taken.size < 2 || stop.signal.aborted) return false;
      take(body);
      stop.abort(new Error('killed'));
      response.destroy();
      return true;
    };
    await expect(bench.run(runInterproscanBatch, payload, { jobId, signal: stop.signal })).rejects.toThrow();
    expect(taken.size).toBe(3);
    const result = await bench.run(runInterproscanBatch, payload, { jobId });
    expect(result).toMatchObject({ resumed: 2, submitted: 2, uncertain: 1, sequences_scanned: 4 });
    expect(submissionsOf()).toEqual([...sequences].sort());
    expect(await stored()).toBe(4);
    // On request, the job submits the sequence whose state is unknown.
    const again = await bench.run(runInterproscanBatch, { ...payload, resubmit_uncertain: true }, { jobId });
    expect(again).toMatchObject({ sequences_skipped: 4, submitted: 1, uncertain: 0, sequences_scanned: 1 });
    expect(await stored()).toBe(5);
  });

  it('does not repeat a submission that failed on the way, but looks again', async () => {
    const bench = remoteBench();
    let faults = 0;
    answer = (request, response) => {
      if (request.url?.startsWith('/status') && faults++ < 2) response.writeHead(503).end();
      else if (request.url?.startsWith('/run') && taken.size === 1) response.writeHead(500).end();
      else return false;
      return true;
    };
    await expect(bench.run(runInterproscanBatch, payload)).rejects.toMatchObject({ code: 'fetch_failed' });
    expect(stub.requests.filter((path) => path === '/run')).toHaveLength(2);
    answer = (request, response) => {
      if (!request.url?.startsWith('/status') || faults++ > 2) return false;
      response.writeHead(503).end();
      return true;
    };
    expect(await bench.run(runInterproscanBatch, { ...payload, accessions: ['P1'] })).toMatchObject({
      sequences_scanned: 1,
    });
  });

  it('reports sequences that the service could not scan', async () => {
    const bench = remoteBench();
    answer = (request, response) => {
      if (!request.url?.startsWith('/status/iprscan5-R2026-2')) return false;
      response.end('FAILURE');
      return true;
    };
    const result = await bench.run(runInterproscanBatch, payload);
    expect(result).toMatchObject({ sequences_scanned: 4, sequences_failed: 1 });
    expect(bench.events.find((one) => one.event === 'run_interproscan_batch.sequence_failed')?.level).toBe(
      'warning',
    );
  });

  it('says which setting is missing', async () => {
    const bench = loadingBench(db);
    await expect(bench.run(runInterproscanBatch, payload)).rejects.toThrow(/SVC_INTERPROSCAN_EMAIL/);
    await expect(bench.run(runInterproscanBatch, { ...payload, service: 'local' })).rejects.toThrow(
      /SVC_INTERPROSCAN_COMMAND/,
    );
    await expect(
      remoteBench().run(runInterproscanBatch, { ...payload, accessions: ['Q'] }),
    ).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

/** The program takes the arguments of InterProScan and runs `script` with them. */
async function localBench(script: string) {
  const command = join(folder, `scan-${Math.random()}.mjs`);
  await writeFile(
    command,
    `#!${process.execPath}
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
const args = process.argv.slice(2);
const of = (name) => args[args.indexOf(name) + 1];
appendFileSync(${JSON.stringify(join(folder, 'calls'))}, JSON.stringify(args) + '\\n');
const records = readFileSync(of('-i'), 'utf8').trim().split('>').slice(1).map((text) => text.trim().split('\\n'));
const md5 = (text) => createHash('md5').update(text).digest('hex');
${script}
`,
  );
  await chmod(command, 0o755);
  await rm(join(folder, 'calls'), { force: true });
  return loadingBench(db, { cacheDir: folder, interproscan: { command, serviceUrl: '', email: null } });
}
const writeTable =
  "writeFileSync(of('-o'), records.map(([name, s]) => [name, md5(s), s.length, 'Pfam', 'PF1', 'd', 1, 3, '-', 'T', 'x', 'IPR000002', 'n'].join('\\t') + '\\n').join(''));";
const calls = async () =>
  (await readFile(join(folder, 'calls'), 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('run_interproscan_batch on this machine', () => {
  it('scans in chunks and stores matches by sequence', async () => {
    const bench = await localBench(writeTable);
    const run = { ...payload, chunk_size: 2, applications: ['Pfam', 'PANTHER'] };
    expect(await bench.run(runInterproscanBatch, run)).toMatchObject({
      service: 'local',
      sequences_scanned: 5,
      annotations_inserted: 5,
    });
    const made = await calls();
    expect(made).toHaveLength(3);
    expect(made[0]).toEqual(expect.arrayContaining(['-iprlookup', 'TSV', 'Pfam,PANTHER']));
    expect(await readdir(join(folder, 'interproscan'))).toEqual([]);
    expect(await bench.run(runInterproscanBatch, run)).toMatchObject({ sequences_skipped: 5 });
    expect(await calls()).toHaveLength(3);
  });

  it('goes on with the chunks that are not scanned yet', async () => {
    const bench = await localBench(
      `if (records.some(([, s]) => s === 'MKLVWACD')) process.exit(3);${writeTable}`,
    );
    const run = { ...payload, chunk_size: 2 };
    await expect(bench.run(runInterproscanBatch, run)).rejects.toMatchObject({
      code: 'scan_failed',
      message: expect.stringContaining('ended with 3'),
    });
    expect(await stored()).toBe(2);
    const next = await localBench(writeTable);
    expect(await next.run(runInterproscanBatch, run)).toMatchObject({
      sequences_skipped: 2,
      sequences_scanned: 3,
    });
    expect(await stored()).toBe(5);
  });

  it.each([
    ['a program that is not there', '', /ENOENT/],
    ['no table', 'console.error("no licence");', /left no table/],
    ['a table of another form', "writeFileSync(of('-o'), 'a b\\n');", /line 1 of its table/],
    ['a run that takes too long', 'setTimeout(() => {}, 60000);', /more than 1 s/],
  ])('reports %s', async (name, script, message) => {
    const bench = await localBench(script);
    const broken = loadingBench(db, {
      cacheDir: folder,
      interproscan: { command: join(folder, 'absent'), serviceUrl: '', email: null },
    });
    const run = (name.includes('not there') ? broken : bench).run(runInterproscanBatch, {
      ...payload,
      timeout_seconds: 1,
    });
    await expect(run).rejects.toMatchObject({ code: 'scan_failed', message: expect.stringMatching(message) });
  });

  it('stops the program when the job is stopped', async () => {
    const bench = await localBench(
      "writeFileSync(of('-o') + '.pid', String(process.pid)); setTimeout(() => {}, 60000);",
    );
    const stop = new AbortController();
    const running = bench.run(runInterproscanBatch, payload, { signal: stop.signal });
    const refused = expect(running).rejects.toThrow('cancelled');
    let pidFile: string | undefined;
    await vi.waitUntil(async () => {
      pidFile = (await readdir(folder, { recursive: true })).find((name) => name.endsWith('.pid'));
      return pidFile !== undefined && (await readFile(join(folder, pidFile), 'utf8')) !== '';
    }, patience);
    const pid = Number(await readFile(join(folder, String(pidFile)), 'utf8'));
    stop.abort(new Error('cancelled'));
    await refused;
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});
