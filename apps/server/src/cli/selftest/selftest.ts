import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environmentWithoutSettings } from '../../run/env.js';
import { loadExamples } from '../../run/supervise/first-start.js';
import { readLocalCredential } from '../../run/supervise/service-file.js';
import { productVersion } from '../../ground/version.js';
import { runAnnotation } from '../annotate.js';
import type { AnswerLine } from '@kindred/kernels/answer';
import { type ServiceAccess, serviceClient } from '../api-client.js';
import { readQueries } from '../query-file.js';
import { type OwnService, startOwnService } from '../own-service.js';
import { checkKernels, checkModels } from './kernels.js';
import { knownAnswers, writeSmallExamples } from './small-examples.js';

export async function printSelftest(): Promise<void> {
  if (!(await selftest((line) => process.stdout.write(`${line}\n`)))) process.exitCode = 1;
}

/** The test has several parts; the returned text says what each proved. */
type Step = [name: string, prove: () => Promise<string>];

/**
 * The test works in a temporary folder with default settings, so it does not touch the data folder and the
 * settings of the user.
 */
export async function selftest(say: (line: string) => void): Promise<boolean> {
  const startedAt = Date.now();
  say(`Kindred ${productVersion} on Node ${process.versions.node}, ${process.platform}-${process.arch}`);
  const folder = await mkdtemp(join(tmpdir(), 'kindred-selftest-'));
  // The embedded database may run as another user, who enters this folder.
  await chmod(folder, 0o711);
  const trial = new Trial(folder);
  const steps: Step[] = [
    ['kernels', () => checkKernels()],
    ['models', checkModels],
    ['service', () => trial.start()],
    ['examples', () => trial.load()],
    ['annotation', () => trial.annotate()],
    ['page', () => trial.fetchPage()],
  ];
  let failed: string | null = null;
  try {
    for (const [name, prove] of steps) {
      failed = await outcome(name, prove, say);
      // Each later step needs the service.
      if (failed !== null) break;
    }
  } finally {
    await trial.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
  if (failed !== null) for (const line of trial.lastLines()) say(`        ${line}`);
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  say(
    failed === null
      ? `selftest passed in ${seconds} s: this installation works.`
      : `selftest FAILED at "${failed}" after ${seconds} s. kindred doctor looks at settings and machine.`,
  );
  return failed === null;
}

async function outcome(
  name: string,
  prove: () => Promise<string>,
  say: (line: string) => void,
): Promise<string | null> {
  const from = Date.now();
  try {
    const text = await prove();
    say(`ok      ${name.padEnd(10)}  ${((Date.now() - from) / 1000).toFixed(1).padStart(4)} s  ${text}`);
    return null;
  } catch (error) {
    say(`FAILED  ${name.padEnd(10)}  ${(error as Error).message}`);
    return name;
  }
}

/** Runs a service on embedded defaults in a separate folder. */
class Trial {
  readonly #folder: string;
  #own: OwnService | null = null;
  #queries = '';
  #log = '';

  constructor(folder: string) {
    this.#folder = folder;
  }

  async start(): Promise<string> {
    this.#own = await startOwnService(this.#environment(), (text) => {
      this.#log += text;
    });
    return 'the embedded PostgreSQL, the API and a worker started';
  }

  /** The environment lacks the settings of the user, which may name another database. */
  #environment(): NodeJS.ProcessEnv {
    return {
      ...environmentWithoutSettings(),
      SVC_DATA_DIR: join(this.#folder, 'data'),
      SVC_IMPORT_DIR: join(this.#folder, 'examples'),
      SVC_LOAD_EXAMPLES: 'false',
      SVC_WORKER_METRICS_PORT: '0',
    };
  }

  async load(): Promise<string> {
    const { proteins, queries } = await writeSmallExamples(join(this.#folder, 'examples'));
    this.#queries = queries;
    await loadExamples(serviceClient(await this.#access()), join(this.#folder, 'examples'), () => {});
    return `${proteins} proteins with annotations and vectors were loaded`;
  }

  async annotate(): Promise<string> {
    const lines: AnswerLine[] = [];
    for await (const line of await runAnnotation(await readQueries(this.#queries), await this.#access(), {
      minScore: 0,
      quiet: true,
    }))
      lines.push(line);
    for (const { query, source, goId } of knownAnswers) {
      const line = lines.find((one) => one.protein === query && one.go_id === goId);
      if (line?.source_id !== source)
        throw new Error(
          `${query} should get ${goId} from ${source}; it got ${line === undefined ? 'no such term' : `it from ${line.source_id}`}`,
        );
    }
    const shown = knownAnswers.map(({ query, source, goId }) => `${query} has ${goId} from ${source}`);
    return `${shown.join(', ')}, as known`;
  }

  async fetchPage(): Promise<string> {
    const { url } = await this.#access();
    const page = await fetch(url, { headers: { accept: 'text/html' } });
    const script = /<script[^>]+src="([^"]+\/assets\/[^"]+\.js|\/?assets\/[^"]+\.js)"/.exec(
      await page.text(),
    )?.[1];
    if (!page.ok || script === undefined)
      throw new Error(`${url}/ does not give the page (HTTP ${page.status})`);
    const code = await fetch(new URL(script, `${url}/`));
    if (!code.ok || !code.headers.get('content-type')?.includes('javascript'))
      throw new Error(`${script} of the page is not served (HTTP ${code.status})`);
    return 'the web client is served';
  }

  async #access(): Promise<ServiceAccess> {
    if (this.#own === null) throw new Error('the service does not run');
    const credential = await readLocalCredential(join(this.#folder, 'data'));
    return { url: this.#own.url, apiKey: credential?.apiKey ?? null };
  }

  async stop(): Promise<void> {
    await this.#own?.stop();
  }

  /** Gives the last lines that the service printed, to show with a fault. */
  lastLines(): string[] {
    const lines = this.#log.split('\n').filter((line) => line !== '' && !line.startsWith('Administrator:'));
    return lines.slice(-8);
  }
}
