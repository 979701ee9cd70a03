import { type SpeakingStretch, speakingStretch } from '@kindred/kernels/network';
import { task } from '../../../ground/pool/pool.js';
import { openedNetwork } from '../sequence-alone.js';

export interface SpeakingStretchInput {
  sequence: string;
  /** The number of the term among the outputs of the network. */
  output: number;
}

export const speakingStretchTask = task(
  import.meta.url,
  ({ sequence, output }: SpeakingStretchInput): SpeakingStretch | null =>
    speakingStretch(openedNetwork(), sequence, output),
);
