import type { NetworkResult } from '@kindred/contracts/network-table';
import type { FastaRecord } from '@kindred/kernels/formats';
import { useRef, useState } from 'react';
import type { LocalNetwork } from './local-network.js';

export interface PrivateAnswer {
  accession: string;
  residues: number;
  result: NetworkResult;
}

/** A run in this browser. */
export interface PrivateRun {
  answers: PrivateAnswer[];
  /** The number of proteins that were given. */
  total: number;
  state: 'running' | 'done' | 'stopped';
  fault: unknown;
}

/** Runs proteins through the network one after the other, until they are done or somebody stops it. */
export function usePrivateRun() {
  const [run, setRun] = useState<PrivateRun | null>(null);
  const current = useRef(0);
  const start = async (network: LocalNetwork, proteins: readonly FastaRecord[]): Promise<void> => {
    current.current += 1;
    const number = current.current;
    const answers: PrivateAnswer[] = [];
    const show = (state: PrivateRun['state'], fault: unknown = null) => {
      if (number === current.current) setRun({ answers: [...answers], total: proteins.length, state, fault });
    };
    show('running');
    try {
      for (const { accession, sequence } of proteins) {
        const result = await network.annotate(sequence);
        if (number !== current.current) return;
        answers.push({ accession, residues: sequence.length, result });
        show(answers.length === proteins.length ? 'done' : 'running');
      }
    } catch (error) {
      show('stopped', error);
    }
  };
  const stop = () => {
    current.current += 1;
    setRun((before) => before && { ...before, state: 'stopped' });
  };
  return { run, start, stop };
}
