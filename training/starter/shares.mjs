// The plain share of similar proteins, which answers beside the starter reference are compared with: of the nearest 50 proteins with an
// E-value of at most .001, how many have a term, whatever their evidence.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { isSimilarAt } from '@kindred/kernels/combined';
import { parseFasta, readGaf, readGpad } from '@kindred/kernels/formats';
import { relativesAmong } from '../combined/neighbours.mjs';
import { graph, organisms, rowsOf, truthOf } from './rows.mjs';
import { starterText } from './sample.mjs';

const mostRelatives = 50;

/** Reads the propagated terms of the proteins of the starter reference, in the order of their sequences. */
async function termsOfStarter(proteins) {
  const rows = await rowsOf(readGpad([Buffer.from(starterText('families.gpad'))]));
  for (const organism of organisms)
    for (const row of await rowsOf(readGaf([Buffer.from(starterText(`${organism}.gaf`))]))) rows.push(row);
  const numberOf = new Map(proteins.map(({ accession }, number) => [accession, number]));
  const kept = rows
    .filter(({ evidenceCode }) => evidenceCode !== 'ND')
    .map(({ accession, goId, negated }) => [
      numberOf.get(accession),
      graph.liveIndexOf(goId),
      Number(negated),
    ])
    .filter(([protein, term]) => protein !== undefined && term >= 0);
  const column = (place) => kept.map((row) => row[place]);
  return truthOf(proteins.length, { protein: column(0), term: column(1), negated: column(2) });
}

/**
 * Returns a function from the proteins that a reference lacks to lines of predictions for the queries. The relatives are kept in a file.
 *
 * @param queries accessions with sequences
 */
export async function plainShares(queries, file) {
  const proteins = ['organisms.fasta', 'families.fasta'].flatMap((name) => parseFasta(starterText(name)));
  const terms = await termsOfStarter(proteins);
  if (!existsSync(file)) {
    const found = relativesAmong(
      proteins,
      queries.map(([, sequence]) => sequence),
    );
    const similar = found.map((hits) =>
      hits.filter(({ logEValue }) => isSimilarAt(logEValue)).map(({ reference }) => reference),
    );
    writeFileSync(file, JSON.stringify(Object.fromEntries(queries.map(([name], i) => [name, similar[i]]))));
  }
  const relatives = JSON.parse(readFileSync(file, 'utf8'));
  return function* (without) {
    for (const [name] of queries) {
      const near = relatives[name]
        .filter((number) => !without.has(proteins[number].accession))
        .slice(0, mostRelatives);
      const having = new Map();
      for (const number of near)
        for (const term of terms[number]) having.set(term, (having.get(term) ?? 0) + 1);
      for (const [term, count] of having) yield `${name}\t${graph.termIds[term]}\t${count / near.length}\n`;
    }
  };
}
