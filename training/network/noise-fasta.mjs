// Writes the sequences that noise_net.py learns from and is asked about.
//
//   node training/network/noise-fasta.mjs --shared <folder> --data <folder of make-data.sh> --out <folder of orphan-terms.mjs>
//     --nonsense <fasta of combined/nonsense.mjs>
//
// learn.txt has a protein in each line, and its noise after tabs: reversed, shuffled by pairs, wrong frame, shuffled (every eighth: drawn
// alike). <network>-<set>.txt has a sequence in each line.
import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { drawn } from '../combined/nonsense-sequences.mjs';
import { noiseOptions, openNoiseSets } from './noise-sets.mjs';

const { values: options } = parseArgs({
  options: {
    ...noiseOptions,
  },
});
const noiseSets = openNoiseSets(options);
for (const name of ['second', 'first']) {
  const { unseen, paired, sets } = await noiseSets.proteinsOf(name);
  const all = {
    unseen,
    paired: paired.map(({ sequence }) => sequence),
    ...sets,
    nonsense: noiseSets.nonsense,
  };
  for (const [set, sequences] of Object.entries(all))
    writeFileSync(join(options.out, `${name}-${set}.txt`), `${sequences.join('\n')}\n`);
}
const { proteins, kinds, random } = noiseSets.others();
const file = openSync(join(options.out, 'learn.txt'), 'w');
proteins.forEach((protein, i) => {
  const noise = kinds.map((make) => make(protein));
  if (i % 8 === 7) noise[3] = drawn(protein.length, random);
  writeSync(file, `${[protein, ...noise].join('\t')}\n`);
});
closeSync(file);
