import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { Random } from '@kindred/kernels/arrays';
import { variantOf } from '@kindred/testkit';
import { examplesFolder, exampleUrl } from '../loading-context.js';
import { type ChaosService, JobFailed } from './service.js';

const proteins = 250;
/**
 * So many sequences are too much work for the lease of one job, so they are computed in batches.
 */
const manySequences = 24;

async function sequences(): Promise<string[]> {
  const text = gunzipSync(await readFile(join(examplesFolder, 'reference.fasta.gz'))).toString();
  return text.split(/^>/m).slice(1);
}

/** Builds a small reference with vectors, which the work of the run uses. */
export async function prepare(service: ChaosService, importDir: string): Promise<void> {
  const fasta = join(importDir, 'some.fasta');
  await writeFile(fasta, `>${(await sequences()).slice(0, proteins).join('>')}`);
  const config = await service.call<{ id: string }>('/v1/embeddings/configs', {
    key: 'config',
    body: { model_name: 'kmer-512', model_backend: 'kmer', layer_indices: [0] },
  });
  await service.call('/v1/references', {
    key: 'reference',
    body: {
      name: 'human',
      version: '1',
      ontology: { url: exampleUrl('go-basic-2022-07-01.obo.gz') },
      proteins: [{ url: pathToFileURL(fasta).href }],
      annotations: [{ url: exampleUrl('reference.gaf.gz') }],
      taxonomy: { nodes: { url: exampleUrl('nodes.dmp.gz') }, names: { url: exampleUrl('names.dmp.gz') } },
      embedding_config_ids: [config.id],
    },
  });
  for (;;) {
    const { status } = await service.call<{ status: string }>('/v1/references/human');
    if (status === 'complete') return;
    if (status === 'failed') throw new Error('the reference could not be built');
    await sleep(200);
  }
}

/**
 * Does unit `n` of the work, the same in every run: an annotation of proteins that nobody has seen, of few or
 * of many; now and then a reference is packed into the artifact store. The unit ends when its jobs have
 * succeeded.
 */
async function unit(service: ChaosService, known: readonly string[], n: number, time = 0): Promise<void> {
  const name = `unit-${n}`;
  const key = `${name}-${time}`;
  if (n % 8 === 7) {
    const { id } = await service.call<{ id: string }>('/v1/references/human/pack', { key, body: {} });
    return service.finish(id);
  }
  const random = new Random(n);
  const fasta_text = Array.from({ length: n % 4 === 3 ? manySequences : 1 + (n % 3) }, (_, index) => {
    const record = known[random.integer(known.length)];
    const residues = record.slice(record.indexOf('\n')).replaceAll('\n', '');
    return `>q${n}_${index}\n${variantOf(residues, (below) => random.integer(below))}\n`;
  }).join('');
  const started = await service.call<{ embedding_job_id: string; predict_job_id: string }>(
    '/v1/annotate?auto_predict=true',
    { key, body: { fasta_text, name } },
  );
  await service.finish(started.embedding_job_id);
  await service.finish(started.predict_job_id);
}

/**
 * Starts units 0, 1, 2, ... until `enough(number started)` is true; waits for all of them and returns their
 * number.
 */
export class Work {
  begun = 0;
  ended = 0;

  /**
   * @param atOnce the number of units at a time
   * @param accept looks at the reason of a job that failed; its unit is then submitted again. By default no
   * job may fail
   */
  constructor(
    readonly atOnce = 4,
    readonly accept: ((reason: string) => void) | null = null,
  ) {}

  async run(service: ChaosService, enough: (begun: number) => boolean): Promise<number> {
    const known = await sequences();
    const lane = async () => {
      while (!enough(this.begun)) {
        const n = this.begun++;
        for (let time = 0; !(await this.#succeeds(unit(service, known, n, time))); time++);
        this.ended++;
      }
    };
    await Promise.all(Array.from({ length: this.atOnce }, lane));
    return this.begun;
  }

  async #succeeds(unitOfWork: Promise<void>): Promise<boolean> {
    try {
      await unitOfWork;
      return true;
    } catch (error) {
      if (!(error instanceof JobFailed) || this.accept === null) throw error;
      this.accept(error.reason);
      return false;
    }
  }
}
