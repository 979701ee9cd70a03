// Gives what the floors between proteins and noise are learnt and judged on, by the rules of README.md.
import { Random } from '@kindred/kernels/arrays';
import { parseFasta } from '@kindred/kernels/formats';
import { checkSequence } from '@kindred/kernels/query-check';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { shuffled, shuffledByPairs, wrongFrame } from '../combined/nonsense-sequences.mjs';
import { openData } from '../combined/windows.mjs';
import { readSequences } from './ask.mjs';
import { keptLocal, learnLocalStatistics } from './local-statistics.mjs';
import { kept, noise, openStarter, validationOrphans, windowOrphans } from './orphans.mjs';

const mostProteins = 3500;
const localProteins = 110_000;

/** The options of the command lines that open these sets. */
export const noiseOptions = Object.fromEntries(
  ['shared', 'data', 'out', 'nonsense'].map((name) => [name, { type: 'string' }]),
);

/** Every fourth protein, and the noise made of it, tests what the others taught. */
export const isTest = (i) => i % 4 === 3;

const usual = (sequence) => sequence.length >= 60 && sequence.length <= 1000;
const thinned = (list) => list.filter((_, i) => i % Math.ceil(list.length / mostProteins) === 0);
const reversed = (protein) => [...protein].reverse().join('');

/** Makes three kinds of noise of each protein. */
function pairedNoise(proteins) {
  const random = new Random(103);
  return proteins.flatMap((protein, of) =>
    [reversed(protein), shuffledByPairs(protein, random), (of % 2 ? wrongFrame : shuffled)(protein, random)]
      .filter((sequence) => checkSequence(sequence) === null)
      .map((sequence) => ({ of, sequence })),
  );
}

/** Gives what the shipped network never saw: validation families with and without a relative in the starter reference. */
async function ofSecond({ options, data, swissprot, validation }) {
  const starter = await openStarter(data.graph);
  const lone = await validationOrphans({ ...options, graph: data.graph, starter });
  const isLone = new Set(lone.names);
  const others = validation.filter((one) => !isLone.has(one)).map((one) => swissprot.get(one));
  return { unseen: others, sets: { validation: lone.sequences } };
}

/** Gives what the first network never saw: human and the targets of the windows without a relative, and others but human. */
async function ofFirst({ options, data, swissprot, leftOut }) {
  const isHuman = new Set(
    data.proteins.filter(({ organism }) => organism === 'human').map(({ accession }) => accession),
  );
  const narrow = openData(join(options.shared, 'data'));
  const human = await kept(join(options.out, 'human-orphans.json'), () => {
    throw new Error('run orphan-terms.mjs first');
  });
  const sets = {
    human: human.map((p) => data.proteins[p].sequence),
    windows: (await windowOrphans(narrow, options.out)).map((p) => narrow.proteins[p].sequence),
  };
  const isAsked = new Set(Object.values(sets).flat());
  const others = leftOut
    .filter((one) => !isHuman.has(one) && swissprot.has(one))
    .map((one) => swissprot.get(one))
    .filter((sequence) => !isAsked.has(sequence));
  return { unseen: others, sets };
}

/** Gives proteins of Swiss-Prot that no set here has, in an order drawn with a seed, and what makes noise of one with the same `random`. */
function otherProteins({ swissprot, leftOut, validation }) {
  const random = new Random(7);
  const isAsked = new Set([...leftOut, ...validation]);
  const proteins = [...swissprot].filter(([name, sequence]) => !isAsked.has(name) && usual(sequence));
  for (let i = proteins.length - 1; i > 0; i--) {
    const j = random.integer(i + 1);
    [proteins[i], proteins[j]] = [proteins[j], proteins[i]];
  }
  const kinds = [reversed, shuffledByPairs, wrongFrame, shuffled].map(
    (make) => (protein) => make(protein, random),
  );
  return { proteins: proteins.slice(0, localProteins).map(([, sequence]) => sequence), kinds, random };
}

/**
 * @param options the folders `shared`, `data` (of make-data.sh) and `out` (of orphan-terms.mjs), and the file `nonsense`
 */
export function openNoiseSets(options) {
  const data = openData(join(options.shared, 'data'), { withHuman: true });
  const lines = (bytes) => bytes.toString().trimEnd().split('\n');
  const opened = {
    options,
    data,
    swissprot: readSequences(join(options.data, 'swissprot.fasta')),
    leftOut: lines(
      gunzipSync(readFileSync(join(options.shared, 'models/go-network/left-out-accessions.txt.gz'))),
    ),
    validation: lines(readFileSync(resolve(import.meta.dirname, '../../models/network/validation.txt'))),
  };
  return {
    others: () => otherProteins(opened),
    graph: data.graph,
    /** The noise of the first and the second try, made of any proteins. */
    general: noise([...opened.swissprot.values()].filter(usual)),
    nonsense: parseFasta(readFileSync(options.nonsense))
      .map(({ sequence }) => sequence)
      .filter((sequence) => checkSequence(sequence) === null),

    /** Gives proteins that a network never saw, which mostly have relatives, the noise of each, and the sets without a relative. */
    async proteinsOf(name) {
      const { unseen, sets } = await (name === 'second' ? ofSecond : ofFirst)(opened);
      const learnt = thinned(unseen.filter(usual));
      return { unseen: learnt, paired: pairedNoise(learnt), sets };
    },

    /** Gives the local statistics learnt from the others. */
    local: () =>
      keptLocal(join(options.out, 'local.f32'), () => {
        const { proteins, kinds, random } = otherProteins(opened);
        return learnLocalStatistics(proteins, kinds, random);
      }),
  };
}
