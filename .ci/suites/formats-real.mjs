// Reads files for formats-real.py and writes the proteins that the product makes of them: jobs are on standard input, as [{ path, genome,
// translated }], and answers on standard output. `translated` leaves out every /translation, so that the bases are translated. A job
// { contigs } has the genes that `kindred annotate --genes` calls, and their GFF3 as `gff3`.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { readQueries } from '../../apps/server/dist/cli/query-file.js';
import {
  readFlatFile,
  readFasta,
  readGenome,
  readGff3Proteins,
} from '../../packages/kernels/dist/formats/index.js';

const textOf = (path) => {
  const bytes = readFileSync(path);
  return (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
};

async function* batches({ path, genome, translated, contigs }, answer) {
  const onLeftOut = (one) => answer.left_out.push(one);
  if (contigs !== undefined) {
    const { bytes, genes } = await readQueries(contigs, { genes: true });
    answer.gff3 = genes.gff3.toString('utf8');
    yield* readFasta(bytes);
    return;
  }
  const text = textOf(path);
  if (/\.gff3?$/.test(path))
    yield await readGff3Proteins(text, genome ? await readGenome(textOf(genome)) : null, { onLeftOut });
  else
    yield* readFlatFile(translated ? text.replaceAll(/^(?:FT)? +\/translation="[^"]*"\n/gm, '') : text, {
      onLeftOut,
    });
}

const answers = [];
for (const job of JSON.parse(readFileSync(0, 'utf8'))) {
  const answer = { proteins: [], left_out: [], rejected: [], skipped: 0 };
  for await (const { records, rejected, skipped } of batches(job, answer)) {
    for (const { accession, sequence } of records) answer.proteins.push([accession, sequence]);
    answer.rejected.push(...rejected);
    answer.skipped += skipped;
  }
  answers.push(answer);
}
process.stdout.write(JSON.stringify(answers));
