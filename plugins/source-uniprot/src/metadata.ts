import type { MetadataRecord, SourceBatch, SourceContext } from '@kindred/contracts';
import { readUniprotTable, type UniprotTableRow } from '@kindred/kernels/formats';
import type { UniprotParameters } from './parameters.js';
import { pages } from './paging.js';

/** Each row has the column of the record, the UniProt field to request, and its header in the table. */
const texts = [
  ['absorption', 'absorption', 'Absorption'],
  ['active_site', 'ft_act_site', 'Active site'],
  ['binding_site', 'ft_binding', 'Binding site'],
  ['catalytic_activity', 'cc_catalytic_activity', 'Catalytic activity'],
  ['cofactor', 'cc_cofactor', 'Cofactor'],
  ['dna_binding', 'ft_dna_bind', 'DNA binding'],
  ['ec_number', 'ec', 'EC number'],
  ['activity_regulation', 'cc_activity_regulation', 'Activity regulation'],
  ['function_cc', 'cc_function', 'Function [CC]'],
  ['pathway', 'cc_pathway', 'Pathway'],
  ['kinetics', 'kinetics', 'Kinetics'],
  ['ph_dependence', 'ph_dependence', 'pH dependence'],
  ['redox_potential', 'redox_potential', 'Redox potential'],
  ['rhea_id', 'rhea', 'Rhea ID'],
  ['site', 'ft_site', 'Site'],
  ['temperature_dependence', 'temp_dependence', 'Temperature dependence'],
  ['keywords', 'keyword', 'Keywords'],
  ['features', 'feature_count', 'Features'],
] as const;
const names = ['accession', 'reviewed', 'id', 'protein_name', 'gene_names', 'organism_name'];
const requiredHeaders = ['Entry', ...texts.map(([, , header]) => header)];

/** Reads functional data of the proteins of a query from the table of the REST API. @throws ProblemError as `pages` says */
export async function* searchMetadata(
  parameters: UniprotParameters,
  context: SourceContext,
): AsyncGenerator<SourceBatch<MetadataRecord>> {
  const url = new URL(parameters.base_url);
  url.searchParams.set('format', 'tsv');
  url.searchParams.set('query', parameters.search_criteria);
  url.searchParams.set('fields', [...names, ...texts.map(([, field]) => field)].join(','));
  url.searchParams.set('size', String(parameters.page_size));
  const format = {
    firstAddress: url.href,
    accept: 'text/plain;format=tsv',
    name: 'table',
    read: (bytes: AsyncIterable<Uint8Array>) => readUniprotTable(bytes, { requiredHeaders }),
    keyOf: ({ line, cell }: UniprotTableRow) => ({ line, accession: cell('Entry') ?? '' }),
  };
  for await (const batch of pages(format, parameters, context))
    yield { ...batch, records: batch.records.map(toMetadata) };
}

function toMetadata({ line, cell }: UniprotTableRow): MetadataRecord {
  const reviewed = cell('Reviewed');
  return {
    line,
    accession: cell('Entry') as string,
    reviewed: reviewed === null ? null : reviewed === 'reviewed',
    entryName: cell('Entry Name'),
    proteinName: cell('Protein names'),
    geneName: cell('Gene Names')?.split(/\s/, 1)[0] ?? null,
    organism: cell('Organism'),
    texts: Object.fromEntries(texts.map(([column, , header]) => [column, cell(header)])),
  };
}
