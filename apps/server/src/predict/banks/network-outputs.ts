import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sharedCopy } from '@kindred/kernels/arrays';
import type { OntologyColumns } from '@kindred/kernels/ontology';
import { NetworkTerms } from '@kindred/kernels/network';
import { networkFolder } from '../../ground/folders.js';
import type { Memory } from '../../ground/memory.js';
import type { NetworkOutputsOfOntology } from '../compute/sequence-alone.js';

const readTerms = () =>
  readFile(join(networkFolder, 'terms.tsv'), 'utf8').then((text) => new NetworkTerms(text).all);

/** Returns the number of a term among the outputs of the network; -1 if it is not among them. */
export async function networkOutputOf(goId: string, { memory }: { memory: Memory }): Promise<number> {
  return (await memory.part(readTerms)).findIndex((output) => output.goId === goId);
}

/** Finds the outputs of the network in an ontology of live terms. */
export async function networkOutputsOf(
  { termIds }: Pick<OntologyColumns, 'termIds'>,
  { memory }: { memory: Memory },
): Promise<NetworkOutputsOfOntology> {
  const outputs = await memory.part(readTerms);
  const numbers = new Map(termIds.map((id, number) => [id, number]));
  return {
    term: sharedCopy(Int32Array.from(outputs, ({ goId }) => numbers.get(goId) ?? -1)),
    bits: sharedCopy(Float64Array.from(outputs, ({ bits }) => bits)),
  };
}
