import { type NetworkLayout, SequenceNetwork } from '@kindred/kernels/network';
import { webAssembly } from '@kindred/kernels/webassembly';
import { createNetworkIn } from '@kindred/native/network/wasm-kernel';
import layout from '../../../../../models/network/layout.json';
import type { FromWorker, ToWorker } from './worker-messages.js';

/**
 * Computes the network beside the page, so that the page stays live. The service sends this file with a policy of its own: it may compile
 * WebAssembly, and can ask for nothing.
 */
let network: SequenceNetwork | undefined;

const reply = (message: FromWorker) => postMessage(message);

function open({ kernel, weights }: Extract<ToWorker, { kind: 'open' }>): void {
  const compiled = new webAssembly.Module(new Uint8Array(kernel));
  network = new SequenceNetwork(layout as NetworkLayout, new Uint8Array(weights), (program) =>
    createNetworkIn(compiled, program),
  );
  reply({ kind: 'opened', shortest: network.shortest });
}

addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
  try {
    if (data.kind === 'open') open(data);
    else reply({ kind: 'answer', answer: network?.answer(data.sequence) ?? null });
  } catch (error) {
    reply({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
  }
});
