import { describe, expect, it } from 'vitest';
import { parseFasta, readGaf } from './index.js';

const go = 'GO:0003824';
const emapper = ['P1', '1.A', '1e-5', '100', 'x', 'y', 'S', 'd', '-', `${go},GO:0005515`];
const interpro = ['P1', 'a'.repeat(32), '120', 'Pfam', 'PF00001', 'x', '1', '50', '1e-9', 'T', '01-01-2026'];
const feature = ['chr1', 'x', 'CDS', '1', '90', '.', '+', '0'];

describe('a file that is given as GAF', () => {
  it.each([
    ['Blast2GO', `P70001\t${go}\nP70002\tEC:1.1.1.1\n`, /Blast2GO.*evidence IEA/],
    ['Blast2GO with descriptions', `P70001\tEC:1.1.1.1\tan enzyme\n`, /Blast2GO/],
    ['eggNOG-mapper', '##emapper-2.1\n#query\tseed_ortholog\tevalue\n', /eggNOG-mapper.*kindred evaluate/],
    ['eggNOG-mapper 1', '# emapper version: 1\n', /eggNOG-mapper/],
    ['eggNOG-mapper without its heading', `${[...emapper, ...Array(11).fill('-')].join('\t')}\n`, /eggNOG/],
    [
      'gene2go',
      '#tax_id\tGeneID\tGO_ID\tEvidence\tQualifier\tGO_term\tPubMed\tCategory\n',
      /gene2go of NCBI/,
    ],
    ['gene2go without its heading', `9606\t1\t${go}\tIDA\t-\tx\t1\tFunction\n`, /gene2go.*\.gaf\.gz/],
    ['a list of topGO', `P1\t${go}, GO:0005515\n`, /lists of terms/],
    ['InterProScan', `${interpro.join('\t')}\n`, /load_interpro_annotations/],
    ['OBO', 'format-version: 1.2\n', /give it as the ontology/],
    ['FASTA', '>P1\nMKT\n', /give them as the proteins/],
    ['a web page', '<!DOCTYPE html>\n', /a page instead of the file/],
  ])('and is %s is refused with what it is and what to do', async (_name, text, reason) => {
    // The format is recognised even if nobody asked for the proteins of its rows.
    for (const keep of [() => true, () => false]) {
      const reading = (async () => {
        for await (const batch of readGaf(text, { keep })) void batch;
      })();
      await expect(reading).rejects.toThrow(reason);
    }
  });

  it('and begins with a faulty row is read on', async () => {
    const row = `UniProtKB\tP1\tA\tenables\t${go}\tPMID:1\tIDA\t\tF\t\t\tprotein\ttaxon:1\t20200101\tX\t\t\n`;
    for await (const { records, rejected } of readGaf(`cut off\t${go.slice(3)}\n${row}`)) {
      expect(records).toHaveLength(1);
      expect(rejected).toHaveLength(1);
    }
  });
});

describe('a file that is given as sequences', () => {
  it.each([
    ['GTF', `${[...feature, 'gene_id "a"; transcript_id "b";'].join('\t')}\n`, /gffread in.gtf -o out.gff3/],
    ['GFF3 without its first line', `${[...feature, 'ID=a'].join('\t')}\n`, /##gff-version 3/],
    ['FASTQ', '@read1\nACGT\n+\nIIII\n', /FASTQ/],
    ['a web page', '<html>\n', /web page/],
    ['JSON', '{"sequence":"MKT"}\n', /JSON/],
    ['other text', 'hello\n', /text before the first ">"/],
  ])('and is %s is refused with what it is and what to do', (_name, text, reason) => {
    expect(() => parseFasta(text)).toThrow(reason);
  });
});
