// Runs the networks over many sequences, and reads what they need besides: vocabulary, frequencies in training, sequences of Swiss-Prot.
import { SequenceNetwork } from '@kindred/kernels/network';
import { createWasmNetwork, loadNative } from '@kindred/native';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readFirstNetwork, vocabularyOf } from './first-network.mjs';

const shipped = resolve(import.meta.dirname, '../../models/network');
/** The share of the proteins of Swiss-Prot 2014-01 that have a term of each aspect; the networks' own counts are by representative. */
const speakingShare = { P: 486000 / 516371, F: 459503 / 516371, C: 392822 / 516371 };
const representatives = { first: 241716, second: 242334 };

/** Gives what turns an output's count of representatives into the share of proteins with a term of its aspect that carry it. */
export const trainedOf = (name) => ({
  representatives: representatives[name],
  share_with_aspect: speakingShare,
  greatest: 0.999,
});

/** Opens a network (`first` or `second`): what a sequence is answered with, and its outputs as numbers of the graph's terms. */
export function openNetwork(name, shared, graph) {
  const layout = JSON.parse(readFileSync(join(shipped, 'layout.json'), 'utf8'));
  const opened =
    name === 'first'
      ? readFirstNetwork(join(shared, 'models/go-network'), layout)
      : {
          layout,
          bytes: readFileSync(join(shipped, 'weights.bin')),
          vocabulary: vocabularyOf(join(shipped, 'vocabulary.tsv')),
        };
  const native = loadNative({ use: 'on' });
  const network = new SequenceNetwork(opened.layout, opened.bytes, (program) =>
    native ? native.createNetwork(program) : createWasmNetwork(program),
  );
  const { vocabulary } = opened;
  return {
    name,
    vocabulary,
    /** The share of all proteins of the training that have the term of each output. */
    shares: Float64Array.from(vocabulary, ({ count }) => count / representatives[name]),
    outputs: {
      term: Int32Array.from(vocabulary, ({ id }) => graph.liveIndexOf(id)),
      trained: Float64Array.from(vocabulary, ({ aspect, count }) =>
        Math.min(0.999, count / (representatives[name] * speakingShare[aspect])),
      ),
    },
    /** Gives what `part` takes of the answer for each sequence, `probabilities` or `vector`; null for one that is too short. */
    ask: (sequences, part) =>
      sequences.map((sequence, i) => {
        if (i % 50 === 0) process.stderr.write(`\r${name} network: ${i} of ${sequences.length}  `);
        return (
          (part === 'vector' ? network.vectorOf(sequence) : network.answer(sequence)?.probabilities) ?? null
        );
      }),
  };
}

/** Reads the sequences of a FASTA file with one line each. */
export function readSequences(path) {
  const lines = readFileSync(path, 'utf8').split('\n');
  const found = new Map();
  for (let i = 0; i + 1 < lines.length; i += 2) found.set(lines[i].slice(1), lines[i + 1]);
  return found;
}
