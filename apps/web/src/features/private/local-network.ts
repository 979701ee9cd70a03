import type { NetworkResult } from '@kindred/contracts/network-table';
import { networkRefusal, NetworkTerms } from '@kindred/kernels/network';
import kernelUrl from '../../../../../packages/native/wasm/network.wasm?url';
import termsUrl from '../../../../../models/network/terms.tsv?url';
import { place } from '../../app/api/place.js';
import type { ReadUnnamed } from './read-proteins.js';
import type { FromWorker, ToWorker } from './worker-messages.js';

export interface Loading {
  /** The path of the weights at the service, and their size. */
  weights: string;
  sizeBytes: number;
  onBytes: (received: number) => void;
}

/** Fetches all that the network needs. Nothing is fetched afterwards. */
export async function loadNetwork({ weights, sizeBytes, onBytes }: Loading): Promise<LocalNetwork> {
  const [{ readUnnamed }, kernel, terms, bytes, example] = await Promise.all([
    import('../../shared/read-unnamed.js'),
    fetched(kernelUrl).then((response) => response.arrayBuffer()),
    fetched(termsUrl).then((response) => response.text()),
    fetched(`${place.service}${weights}`).then((response) => received(response, sizeBytes, onBytes)),
    fetched(`${place.service}/example.fasta`).then((response) => response.text()),
  ]);
  const worker = new Worker(new URL('./network-worker.ts', import.meta.url), { type: 'module' });
  const opened = await asked(worker, { kind: 'open', kernel, weights: bytes });
  if (opened.kind !== 'opened') throw new Error('The network did not open. Load the page again.');
  return new LocalNetwork(worker, new NetworkTerms(terms), {
    ...{ shortest: opened.shortest, example, readUnnamed },
  });
}

async function fetched(address: string): Promise<Response> {
  const response = await fetch(address);
  if (!response.ok)
    throw new Error(`A file could not be fetched (HTTP ${response.status}). Load the page again.`);
  return response;
}

/** Reads a reply of a known size, and tells its progress. */
async function received(response: Response, size: number, onBytes: Loading['onBytes']): Promise<ArrayBuffer> {
  const whole = new Uint8Array(size);
  let at = 0;
  const reader = response.body?.getReader();
  for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
    if (at + part.value.length > size) break;
    whole.set(part.value, at);
    at += part.value.length;
    onBytes(at);
  }
  if (at !== size) throw new Error(`The weights have ${size} bytes, ${at} arrived. Load the page again.`);
  return whole.buffer;
}

/** Sends a message, and waits for the next one: the page asks one thing at a time. */
function asked(worker: Worker, message: ToWorker): Promise<FromWorker> {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      if (data.kind === 'failed') reject(new Error(data.message));
      else resolve(data);
    };
    worker.onerror = ({ message: fault }) =>
      reject(new Error(`This browser cannot compute the network${fault ? `: ${fault}` : ''}.`));
    worker.postMessage(message);
  });
}

/** The network in this browser, with its terms. */
export class LocalNetwork {
  readonly #worker: Worker;
  readonly #terms: NetworkTerms;
  readonly #shortest: number;
  /** The proteins of the example, and the reader of other texts, because they cannot be fetched later. */
  readonly example: string;
  readonly readUnnamed: ReadUnnamed;
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    worker: Worker,
    terms: NetworkTerms,
    { shortest, example, readUnnamed }: { shortest: number; example: string; readUnnamed: ReadUnnamed },
  ) {
    this.#worker = worker;
    this.#terms = terms;
    this.#shortest = shortest;
    this.example = example;
    this.readUnnamed = readUnnamed;
  }

  /** Answers after earlier questions, also those that nobody waits for any more. */
  annotate(sequence: string): Promise<NetworkResult> {
    const answer = this.#last.then(() => this.#annotate(sequence));
    this.#last = answer.catch(() => undefined);
    return answer;
  }

  async #annotate(sequence: string): Promise<NetworkResult> {
    const refusal = networkRefusal(sequence, this.#shortest);
    if (refusal !== null) return { refusal };
    const reply = await asked(this.#worker, { kind: 'answer', sequence });
    if (reply.kind !== 'answer' || reply.answer === null) return { refusal: 'short_for_network' };
    return { terms: this.#terms.answer(reply.answer.probabilities) };
  }
}
