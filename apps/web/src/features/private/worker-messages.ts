import type { NetworkAnswer } from '@kindred/kernels/network';

/** The messages of the page to its worker: first the files of the network, then a sequence at a time. */
export type ToWorker =
  | { kind: 'open'; kernel: ArrayBuffer; weights: ArrayBuffer }
  | { kind: 'answer'; sequence: string };

/** The messages of the worker; the answer is null for a sequence that is too short. */
export type FromWorker =
  | { kind: 'opened'; shortest: number }
  | { kind: 'answer'; answer: NetworkAnswer | null }
  | { kind: 'failed'; message: string };
