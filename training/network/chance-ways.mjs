// The ways of the fourth and the fifth try at noise, by README.md: which columns of a sequence are read, and by what.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { localOf } from './local-statistics.mjs';
import { isTest } from './noise-sets.mjs';
import { keptAnswers } from './orphans.mjs';
import { learnChance } from './protein-chance.mjs';

/** Hidden null is the column as it is, 0 is logistic regression. */
export const ways = {
  'hidden layer, local statistics': { columns: ['vector', 'local'], hidden: 32 },
  'small network': { columns: ['net'], hidden: null },
  'small network, local statistics': { columns: ['net', 'local'], hidden: 0 },
  'hidden layer, local statistics, small network': { columns: ['vector', 'local', 'net'], hidden: 32 },
};

/** The way that the product goes. */
export const takenWay = 'hidden layer, local statistics, small network';

/** Reads what noise_net.py gave the sequences of a set. */
function netOf(path, sequences) {
  if (!existsSync(path)) throw new Error(`${path} is missing: run noise_net.py score`);
  const bytes = readFileSync(path);
  const values = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  if (values.length !== sequences.length)
    throw new Error(`${path} has ${values.length} values for ${sequences.length} sequences`);
  return Array.from(values, (value) => [value]);
}

/**
 * Learns a way from three quarters of the proteins that a network never saw, each with its noise.
 *
 * @returns the log odds of the sequences of a set, the layers, and the log odds that a share of the other noise exceeds
 */
export function learnWay({ columns, hidden, seed = 1 }, { network, out, local, unseen, paired }) {
  const columnsOf = {
    vector: (set, sequences) =>
      keptAnswers(join(out, `${network.name}-${set}.vec`), network, sequences, 'vector'),
    local: (_, sequences) => sequences.map((sequence) => localOf(local, sequence)),
    net: (set, sequences) => netOf(join(out, `${network.name}-${set}.net`), sequences),
  };
  const rowsOf = (set, sequences) => {
    const parts = columns.map((name) => columnsOf[name](set, sequences));
    return sequences.map((_, i) => Float64Array.from(parts.flatMap((part) => [...part[i]])));
  };
  const proteins = rowsOf('unseen', unseen);
  const noise = rowsOf(
    'paired',
    paired.map(({ sequence }) => sequence),
  );
  const learnt =
    hidden === null
      ? { logOdds: ([value]) => value }
      : learnChance(
          proteins.filter((_, i) => !isTest(i)),
          noise.filter((_, i) => !isTest(paired[i].of)),
          { hidden, seed },
        );
  const tested = noise
    .filter((_, i) => isTest(paired[i].of))
    .map(learnt.logOdds)
    .sort((a, b) => b - a);
  return {
    ...learnt,
    logOddsOf: (set, sequences) => rowsOf(set, sequences).map(learnt.logOdds),
    floorAt: (share) => tested[Math.floor(tested.length * share)],
    withRelatives: proteins.filter((_, i) => isTest(i)).map(learnt.logOdds),
  };
}
