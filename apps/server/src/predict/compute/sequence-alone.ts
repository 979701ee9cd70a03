import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ProblemError } from '@kindred/contracts';
import { type SequenceAnswer, type SequenceCurves, SequenceTerms } from '@kindred/kernels/combined';
import { ProteinChance, type SequenceNetwork } from '@kindred/kernels/network';
import { readNetwork } from '@kindred/native';
import { networkFolder } from '../../ground/folders.js';
import { nativeKernels } from './native-kernels.js';
import type { SharedReference } from './tasks/combined-reference.js';

/** The outputs of the sequence network as terms of a reference, in memory that threads share. */
export interface NetworkOutputsOfOntology {
  /** The number of each output's term; -1 where the ontology lacks it or has it as obsolete: Int32 [outputs]. */
  term: Int32Array;
  /** Minus the binary logarithm of the share of the training's proteins that have the term: Float64 [outputs]. */
  bits: Float64Array;
}

interface Model {
  network: SequenceNetwork;
  chance: ProteinChance;
  curves: SequenceCurves;
}

let model: Model | null = null;

/** Gives the sequence network of this thread. @throws ProblemError if its files cannot be read */
export const openedNetwork = (): SequenceNetwork => openedModel().network;

/** Reads the network, the chance and the curves of this thread at the first call: only a query without a relative needs them. */
function openedModel(): Model {
  if (model !== null) return model;
  try {
    const read = (name: string): Buffer => readFileSync(join(networkFolder, name));
    model = {
      network: readNetwork(networkFolder, nativeKernels()),
      chance: ProteinChance.parse(read('chance.bin')),
      curves: JSON.parse(read('orphan-curves.json').toString()) as SequenceCurves,
    };
    return model;
  } catch (error) {
    throw new ProblemError(
      'backend_unavailable',
      `Terms from the sequence alone cannot be computed: ${error instanceof Error ? error.message : String(error)}. Install Kindred again, or annotate without them (sequence_only false).`,
    );
  }
}

/** Answers queries without a relative in a reference from their sequences alone. Each thread has its own. */
export class SequenceAlone {
  readonly #model = openedModel();
  readonly #terms: SequenceTerms;

  constructor({ reference, closure }: SharedReference, outputs: NetworkOutputsOfOntology) {
    this.#terms = new SequenceTerms(reference, closure, outputs, this.#model.curves);
  }

  /** Returns null for a sequence that the network cannot tell from noise, or that is too short for it. */
  answer(sequence: string): SequenceAnswer | null {
    const { network, chance } = this.#model;
    const answer = network.answer(sequence);
    if (answer === null || chance.chance(sequence, answer.vector) <= chance.floor) return null;
    return this.#terms.answer(answer.probabilities);
  }
}
