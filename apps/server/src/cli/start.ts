import { access, mkdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { ProblemError } from '@kindred/contracts';
import { loadSettings, type Settings } from '../env.js';
import { examplesFolder } from '../folders.js';
import { loadExamples } from '../supervise/first-start.js';
import { prepareDatabase, type PreparedDatabase } from '../supervise/prepare.js';
import { type RunningService, startService } from '../supervise/serve.js';
import { credentialHeaderFile, readLocalCredential, runningService } from '../supervise/service-file.js';
import { runAnnotation } from './annotate.js';
import { type AnnotationLine, formatTable } from './annotation-table.js';
import type { ServiceAccess } from './api-client.js';

export interface StartOptions {
  demo?: boolean;
  port?: string;
}

/** Starts everything and stays until a signal; with --demo annotates the example queries and ends. */
export async function start(options: StartOptions): Promise<void> {
  const settings = loadSettings(options.port === undefined ? {} : { SVC_PORT: options.port });
  const say = (line: string) => process.stderr.write(`${line}\n`);
  const running = await runningService(settings.dataDir);
  if (running !== null) {
    if (options.demo)
      return printDemo({
        url: running.url,
        apiKey: (await readLocalCredential(settings.dataDir))?.apiKey ?? null,
      });
    say(`Kindred runs already: ${running.url} (process ${running.pid})`);
    process.send?.({ ready: running.url });
    return;
  }
  await mkdir(settings.dataDir, { recursive: true });
  say('Kindred starts ...');
  let prepared: PreparedDatabase | null = null;
  const service = await startService(
    settings,
    async (url) => void (prepared = await prepareDatabase(url, settings)),
    say,
  );
  const ended = stopOnSignal(service, say);
  tellAdministrator(prepared, say);
  const access = { url: service.url, apiKey: (await readLocalCredential(settings.dataDir))?.apiKey ?? null };
  try {
    await examples(settings, access, (prepared as PreparedDatabase | null)?.empty === true, say);
    greet(service.url, settings, say);
    process.send?.({ ready: service.url });
    if (options.demo) await printDemo(access);
  } catch (error) {
    await service.stop();
    throw error;
  }
  if (options.demo) {
    await service.stop();
    process.exit(0);
  }
  await ended;
}

/** The example set goes into an empty database, unless the operator brings data of his own. */
async function examples(
  settings: Settings,
  service: ServiceAccess,
  empty: boolean,
  say: (line: string) => void,
): Promise<void> {
  if (!settings.loadExamples || !empty || service.apiKey === null) return;
  const there = await access(join(examplesFolder, 'reference.fasta.gz')).then(
    () => true,
    () => false,
  );
  if (!there) return;
  say('First start: loading the example set');
  const startedAt = Date.now();
  await loadExamples(service, examplesFolder, (step) => say(`  ${step}`));
  say(`  ready after ${((Date.now() - startedAt) / 1000).toFixed(0)} s`);
}

/** Said before anything else can fail: the password is stored nowhere. */
function tellAdministrator(prepared: PreparedDatabase | null, say: (line: string) => void): void {
  if (!prepared?.adminLogin) return;
  const { email, password } = prepared.adminLogin;
  say(`Administrator:  ${email}   password: ${password}   (shown this once)`);
}

function greet(url: string, settings: Settings, say: (line: string) => void): void {
  const shown = (path: string) => relative(process.cwd(), path) || path;
  // On embedded defaults this machine has a key of its own; elsewhere ten sequences a day go without one.
  const own = settings.dbUrl === null;
  const header = own ? ` -H @${shown(credentialHeaderFile(settings.dataDir))}` : '';
  const file = shown(join(examplesFolder, 'queries.fasta'));
  say('');
  say(`Kindred is ready:  ${url}        API reference: ${url}/docs`);
  say('Annotate a FASTA:  npx kindred annotate my.fasta');
  say('The same by curl:');
  say(
    `  curl${header} -F file=@${file} '${url}/v1/annotate?auto_predict=true${own ? '' : '&save_history=false'}'`,
  );
  say('Ctrl-C stops everything.');
}

/** The example queries through the service's own API, as a table of the best terms. */
async function printDemo(service: ServiceAccess): Promise<void> {
  const file = join(examplesFolder, 'queries.fasta');
  const lines: AnnotationLine[] = [];
  for await (const line of await runAnnotation(file, service, { minScore: '0' })) lines.push(line);
  const proteins = new Set(lines.map((line) => line.protein));
  if (proteins.size === 0)
    throw new ProblemError('internal_error', 'The demo gave no GO term; see the logs in the data folder.');
  process.stdout.write(
    `${formatTable(lines, 3)}\n\nGO terms for ${proteins.size} proteins: ${lines.length} predictions, the best 3 of each shown.\n`,
  );
}

/** Resolves when a signal asked for the end and everything has stopped; a second signal ends at once. */
function stopOnSignal(service: RunningService, say: (line: string) => void): Promise<void> {
  return new Promise((resolve) => {
    let asked = false;
    const stop = (signal: string) => {
      if (asked) process.exit(130);
      asked = true;
      say(`\n${signal}: stopping (once more to end at once) ...`);
      service.stop().then(
        () => {
          say('Stopped.');
          resolve();
          process.exit(0);
        },
        (error: Error) => {
          say(error.message);
          process.exit(1);
        },
      );
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop(signal));
    // Started by another of our processes: end with it.
    process.on('disconnect', () => stop('The starting process ended'));
  });
}
