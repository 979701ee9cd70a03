import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Annotates records of FASTA as the visitor of a browser's context and returns the prediction set when its job has succeeded. Only an
 * account may keep the result.
 */
export async function annotateRun(context, baseUrl, { name, records, kept = false }) {
  const file = { name: 'examples.fasta', mimeType: 'text/plain', buffer: Buffer.from(records.join('')) };
  const { predict_job_id: job } = await sent(
    context,
    new URL(`/v1/annotate?auto_predict=true&save_history=${kept}`, baseUrl),
    { multipart: { file, name } },
  );
  for (; ; await sleep(300)) {
    const reply = await context.request.get(new URL(`/v1/jobs/${job}`, baseUrl).href);
    const { status, result, error_message: fault } = await reply.json();
    if (status === 'SUCCEEDED') return result.prediction_set_id;
    if (status === 'FAILED' || status === 'CANCELLED') throw new Error(`the job ended ${status}: ${fault}`);
  }
}

/** Sends a request that changes something, as a page of the service would. */
export async function sent(context, url, options) {
  const reply = await context.request.post(url.href, { ...options, headers: { origin: url.origin } });
  if (!reply.ok()) throw new Error(`${url.pathname} answers ${reply.status()}: ${await reply.text()}`);
  return reply.json();
}
