import type { Client } from '@kindred/client';
import { Command } from 'commander';
import { serviceClient } from './api-client.js';
import { configurationOfModel } from '@kindred/client/configuration-of-model';
import { openJob } from './open-job.js';
import { openProgress, showJob } from './progress.js';
import { referenceName } from './reference-text.js';
import { sayingWhatGoesOn } from './until-ended.js';
import { addServiceOptions, type ServiceOptions, withService } from './with-service.js';

interface EmbedOptions extends ServiceOptions {
  reference: string;
  model: string;
  quiet?: boolean;
}

/** The command `kindred embed` computes vectors of one more model for the proteins of a reference. */
export function embedCommand(): Command {
  return addServiceOptions(new Command('embed'))
    .requiredOption('--reference <reference>', 'name, or name@version')
    .requiredOption(
      '--model <model>',
      'model of an installed backend, or the id of an embedding configuration',
    )
    .option('-q, --quiet', 'no progress display')
    .action((options: EmbedOptions) =>
      withService(options, async (service) => {
        process.stdout.write(await embedReference(serviceClient(service), options));
      }),
    );
}

/**
 * Waits for the vectors, and returns the text to print. All workers of all machines take part. Vectors from
 * before an interruption are kept, and proteins with a vector are left out.
 */
export async function embedReference(
  client: Client,
  { reference, model, quiet }: Pick<EmbedOptions, 'reference' | 'model' | 'quiet'>,
): Promise<string> {
  const found = await client.get('/references/:reference', {
    params: { reference },
  });
  const { id, annotation_set_id } = found;
  const configId = await configurationOfModel(client, model);
  const bar = openProgress(quiet === true);
  try {
    const tags = [`reference ${id}`, `embedding configuration ${configId}`];
    const body = {
      operation: 'compute_embeddings',
      queue_name: 'svc.embeddings',
      payload: { embedding_config_id: configId, reference_id: id },
      tags,
    };
    const jobId = (await openJob(client, body.operation, tags)) ?? (await client.post('/jobs', { body })).id;
    const job = await sayingWhatGoesOn('The job goes on in the service; the same command follows it.', () =>
      client.finish(jobId, { onUpdate: showJob(bar, 'embedding') }),
    );
    const sequences = Number(job.result?.sequences);
    const done =
      sequences === 0
        ? `All proteins of ${referenceName(found)} had a vector of ${model}.`
        : `Embedded ${sequences.toLocaleString('en')} sequences of ${referenceName(found)} with ${model}.`;
    return `${done}\nAnnotate with them: kindred annotate FILE --annotation-set ${annotation_set_id} --embedding ${configId}\n`;
  } finally {
    bar.stop();
  }
}
