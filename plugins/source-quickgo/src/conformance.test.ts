import { sourceConformance } from '@kindred/testkit/conformance';
import { describe, it } from 'vitest';
import { plugin } from './index.js';

const base = 'https://quickgo.test/download';
const row = (accession: string, goId = 'GO:0008150') =>
  `UniProtKB\t${accession}\tS\tinvolved_in\t${goId}\tP\tECO:0000314\tIDA\tPMID:1\t\t9606\tX\t\t20200101\n`;
const head =
  'GENE PRODUCT DB\tGENE PRODUCT ID\tSYMBOL\tQUALIFIER\tGO TERM\tGO ASPECT\tECO ID\tGO EVIDENCE CODE\tREFERENCE\tWITH/FROM\tTAXON ID\tASSIGNED BY\tANNOTATION EXTENSION\tDATE\n';

describe('source quickgo', () => {
  it.each(
    sourceConformance(plugin, {
      method: 'annotations',
      parameters: { quickgo_base_url: base, gene_product_ids: ['P1', 'P2', 'P3'] },
      files: {
        [base]: `${head}${row('P1')}${row('P2')}${row('P3', 'GO:1')}`,
        'https://quickgo.test/about': '{"annotation":{"timestamp":"2026-07-28 10:08"}}',
      },
      records: 2,
      rejected: 1,
      release: '2026-07-28 10:08',
    }),
  )('$name', ({ run }) => run());
});
