import { access } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { ProblemError } from '@kindred/contracts';
import { settleRestore } from '../run/backup/restore.js';
import { upgrade } from '../run/backup/upgrade.js';
import { loadSettings, type Settings } from '../run/env.js';
import { endingSignals } from '../ground/ending-signals.js';
import { examplesFolder, productCommand } from '../ground/folders.js';
import { checkPluginSettings, unknownVariableWarnings } from '../ground/plugins/installed.js';
import {
  examplesUnfinished,
  loadMarked,
  markExamples,
  untilExamplesLoaded,
} from '../run/supervise/examples-mark.js';
import { loadExamples, loadStarter, starterMark, startSample } from '../run/supervise/first-start.js';
import { rememberFolder } from '../run/supervise/known-folders.js';
import { prepareDatabase } from '../run/supervise/prepare.js';
import { type RunningService, startService } from '../run/supervise/serve.js';
import { credentialHeaderFile, readLocalCredential } from '../run/supervise/service-file.js';
import { sourceOf } from './upgrade.js';
import { attachOrLock, type ServiceLock } from '../run/supervise/service-lock.js';
import type { AnswerLine } from '@kindred/kernels/answer';
import { runAnnotation } from './annotate.js';
import { formatTable } from './annotation-table.js';
import { type ServiceAccess, serviceClient } from './api-client.js';
import { readQueries } from './query-file.js';

export interface StartOptions {
  demo?: boolean;
  /** The flag is true if the first start loads the example set instead of the starter reference. */
  small?: boolean;
  port?: string;
  /** The flag is true if a person sees what this process prints, though another process started it. */
  inFront?: boolean;
}
type Say = (line: string) => void;

/** Starts everything and runs until a signal; with --demo, annotates the example queries and exits. */
export async function start(options: StartOptions): Promise<void> {
  const settings = loadSettings({
    ...(options.port === undefined ? {} : { SVC_PORT: options.port }),
    ...(options.small ? { SVC_LOAD_EXAMPLES: 'small' } : {}),
  });
  await checkPluginSettings(settings.plugins);
  const say = (line: string) => process.stderr.write(`${line}\n`);
  const found = await attachOrLock(settings.dataDir, say);
  if ('url' in found) {
    if (options.demo) {
      await untilExamplesLoaded(settings.dataDir);
      return printDemo(await accessTo(found.url, settings));
    }
    say(`Kindred runs already: ${found.url} (process ${found.pid})`);
    if (options.small) say(tooLateForSmall(settings));
    sayReady(found.url);
    return;
  }
  // A clean end releases the lock from the first moment that this process has it.
  const ending = new AbortController();
  const starting = startHere(settings, found, ending.signal, say);
  const ended = untilStopped(starting, ending, say);
  try {
    const { service, examples } = await starting;
    const access = await accessTo(service.url, settings);
    if (options.small && examples === 'none') say(tooLateForSmall(settings));
    if (examples !== 'none')
      await load(settings, access, examples, { say, must: options.demo === true, signal: ending.signal });
    ending.signal.throwIfAborted();
    // A parent process of ours prints its own messages.
    if (process.send === undefined || options.inFront) {
      await rememberFolder(settings.dataDir);
      greet(service.url, settings, say);
    }
    sayReady(service.url);
    if (!options.demo) return await ended;
    await printDemo(access);
    await service.stop();
    process.exit(0);
  } catch (error) {
    // Errors caused by the shutdown are not failures; the signal handler ends the process.
    if (ending.signal.aborted) return ended;
    await (await starting.catch(() => null))?.service.stop();
    process.channel?.unref();
    throw error;
  }
}

function tooLateForSmall({ dataDir }: Settings): string {
  return `WARNING  --small is for a first start, and ${dataDir} has data already, which stay as they are. For the example set, name another folder in SVC_DATA_DIR.`;
}

/**
 * Reports to the process that started this one. If that process has ended meanwhile, `disconnect` ends this
 * one.
 */
function sayReady(url: string): void {
  process.send?.({ ready: url }, () => {});
}

async function accessTo(url: string, { dataDir }: Settings): Promise<ServiceAccess> {
  return { url, apiKey: (await readLocalCredential(dataDir))?.apiKey ?? null };
}

/** This start loads this part of the first data. */
type Examples = 'all' | 'rest' | 'none';

const settledLine = {
  finished: 'A restore was cut off after its rows were in the database: its files have their places now.',
  undone:
    'A restore was cut off before its rows were in the database: its files were removed. Restore again.',
};

async function startHere(
  settings: Settings,
  lock: ServiceLock,
  signal: AbortSignal,
  say: Say,
): Promise<{ service: RunningService; examples: Examples }> {
  for (const warning of [...settings.warnings, ...(await unknownVariableWarnings(settings.plugins))])
    say(`WARNING  ${warning}`);
  say('Kindred starts ...');
  signal.throwIfAborted();
  let examples: Examples = 'none';
  const prepare = async (databaseUrl: string) => {
    const { empty, adminLogin } = await prepareDatabase(databaseUrl, settings, async (db) => {
      const settled = await settleRestore({ db, dataDir: settings.dataDir });
      if (settled !== null) say(settledLine[settled.outcome]);
      return upgrade(sourceOf(settings, db), { copiesBefore: 'breaking', say, signal });
    });
    // The password is printed before anything else can fail, because it is not stored anywhere.
    if (adminLogin) {
      const { email, password } = adminLogin;
      say(`Administrator:  ${email}   password: ${password}   (shown only once)`);
    }
    examples = await examplesToLoad(settings, empty);
    if (examples !== 'none') await markExamples(settings.dataDir);
  };
  const service = await startService(settings, { lock, prepare, say, signal });
  return { service, examples };
}

/**
 * An empty database gets the starter reference or the example set, unless the operator chose to load other
 * data.
 */
async function examplesToLoad(settings: Settings, empty: boolean): Promise<Examples> {
  const wanted = empty || (await examplesUnfinished(settings.dataDir));
  if (settings.loadExamples === 'none' || !wanted || (await readLocalCredential(settings.dataDir)) === null)
    return 'none';
  const mark = settings.loadExamples === 'starter' ? starterMark : 'reference.fasta.gz';
  const there = await access(join(examplesFolder, mark)).then(
    () => true,
    () => false,
  );
  if (!there) return 'none';
  return empty ? 'all' : 'rest';
}

async function load(
  settings: Settings,
  service: ServiceAccess,
  examples: Examples,
  { say, must, signal }: { say: Say; must: boolean; signal: AbortSignal },
): Promise<void> {
  const [what, loadIt] =
    settings.loadExamples === 'starter'
      ? (['the starter reference', loadStarter] as const)
      : (['the example set', loadExamples] as const);
  say(examples === 'all' ? `First start: loading ${what}` : `Loading the rest of ${what}`);
  const startedAt = Date.now();
  const client = serviceClient(service);
  try {
    await loadMarked(settings.dataDir, () => loadIt(client, examplesFolder, (step) => say(`  ${step}`)));
    say(`  ready after ${((Date.now() - startedAt) / 1000).toFixed(0)} s`);
    if (!must)
      await startSample(client, examplesFolder).catch((error: Error) =>
        say(`  no sample for the first page: ${error.message}`),
      );
  } catch (error) {
    if (must || signal.aborted) throw error;
    say(`  not loaded: ${(error as Error).message} The service runs without it; the next start tries again.`);
  }
}

function greet(url: string, settings: Settings, say: Say): void {
  const shown = (path: string) => relative(process.cwd(), path) || path;
  // An embedded service has a key for this machine; elsewhere callers without a key may send ten sequences a
  // day.
  const own = settings.dbUrl === null;
  const header = own ? ` -H @${shown(credentialHeaderFile(settings.dataDir))}` : '';
  const file = shown(join(examplesFolder, 'queries.fasta'));
  say('');
  say(`Kindred is ready:  ${url}        API reference: ${url}/docs`);
  say(`Annotate a FASTA:  ${productCommand} annotate my.fasta`);
  say('The same by curl:');
  say(
    `  curl${header} -F file=@${file} '${url}/v1/annotate?auto_predict=true${own ? '' : '&save_history=false'}'`,
  );
  say('Ctrl-C stops everything.');
}

/** Prints the example queries, answered by the service's own API, as a table of the best terms. */
async function printDemo(service: ServiceAccess): Promise<void> {
  const file = join(examplesFolder, 'queries.fasta');
  const lines: AnswerLine[] = [];
  for await (const line of await runAnnotation(await readQueries(file), service, { minScore: 0 }))
    lines.push(line);
  const proteins = new Set(lines.map((line) => line.protein));
  if (proteins.size === 0)
    throw new ProblemError('internal_error', 'The demo gave no GO term; see the logs in the data folder.');
  process.stdout.write(
    `${formatTable(lines, 3)}\n\nAnswers for ${proteins.size} proteins in ${lines.length} lines, the first 3 of each shown.\n`,
  );
}

/** A second signal within this time was passed on by a process above this one, such as npm. */
const sameKeyMs = 1000;

/**
 * Ends this process after a signal, once everything has stopped. A second Ctrl-C ends it at once: the
 * children with it, and the database server a little later (see `endsWithProcess`). Other signals may come to
 * the group and to each process of it, and count once.
 */
function untilStopped(
  starting: Promise<{ service: RunningService }>,
  ending: AbortController,
  say: Say,
): Promise<never> {
  const stop = async (reason: string) => {
    if (ending.signal.aborted) return;
    say(`\n${reason}: stopping (Ctrl-C once more to end at once) ...`);
    ending.abort();
    try {
      // An interrupted start stops the processes that it started.
      await (await starting.catch(() => null))?.service.stop();
      say('Stopped.');
      process.exit(0);
    } catch (error) {
      say((error as Error).message);
      process.exit(1);
    }
  };
  let askedAt = Number.NEGATIVE_INFINITY;
  for (const signal of endingSignals)
    process.on(signal, () => {
      const again = ending.signal.aborted && performance.now() - askedAt > sameKeyMs;
      askedAt = performance.now();
      if (again && signal === 'SIGINT') process.exit(130);
      void stop(signal);
    });
  // A process that another one of ours started ends together with it.
  const orphaned = () => void stop('The starting process ended');
  process.on('disconnect', orphaned);
  // The parent may have ended before this process could notice.
  if (process.connected === false) orphaned();
  return new Promise(() => {});
}
