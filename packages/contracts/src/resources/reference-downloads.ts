import { z } from 'zod';
import { url } from '../fields.js';
import type { OperationRow } from '../operation.js';
import { referencePartKinds } from './references.js';

/** A selection of the proteins that UniProt publishes. */
export const publishedSelection = z
  .string()
  .regex(
    /^(swissprot|taxon:[1-9]\d{0,8}|proteome:UP\d{9,11})$/,
    'expected swissprot, taxon:<NCBI id> or proteome:<UniProt id>, such as taxon:83333 or proteome:UP000000625',
  );

/** The releases to use instead of the current ones. */
export const publishedReleases = z.strictObject({
  uniprot: z
    .string()
    .regex(/^\d{4}_\d{2}$/, 'expected a release such as 2022_04')
    .optional()
    .meta({ description: 'Of Swiss-Prot, such as 2022_04' }),
  go: z.iso.date().optional().meta({ description: 'Of the ontology, such as 2022-11-03' }),
  goa: z
    .string()
    .regex(/^\d{1,4}$/, 'expected the number of a GOA release')
    .optional()
    .meta({ description: 'Number of the GOA release' }),
});

/** The addresses of the sources; a mirror has the same folders. */
export const publishedAddresses = z.strictObject({
  uniprot_rest: url.default('https://rest.uniprot.org'),
  uniprot_files: url.default('https://ftp.uniprot.org/pub/databases/uniprot'),
  goa: url.default('https://ftp.ebi.ac.uk/pub/databases/GO/goa'),
  go_current: url.default('https://current.geneontology.org'),
  go_releases: url.default('https://release.geneontology.org'),
  go_sources: url.default('https://raw.githubusercontent.com/geneontology/go-ontology/master/src'),
});

export const planDownloadPayload = z.strictObject({
  selections: z
    .array(publishedSelection)
    .min(1)
    .max(20)
    .meta({ description: 'swissprot, taxon:<NCBI id>, proteome:<UniProt id>' }),
  vectors: z.boolean().default(false).meta({
    description: 'Also the ProtT5 vectors that UniProt publishes of Swiss-Prot and of some proteomes',
  }),
  releases: publishedReleases.default({}),
  addresses: publishedAddresses.prefault({}),
});

/** A file that a reference needs, as its server describes it. */
export const publishedFile = z.strictObject({
  kind: z.enum(referencePartKinds),
  file_name: z.string().min(1).max(255),
  url,
  query: z
    .string()
    .max(2000)
    .nullable()
    .meta({ description: 'Search of UniProt whose pages make the file; null: the file at url' }),
  member: z.string().max(255).nullable().meta({ description: 'The file of an archive that is taken' }),
  size_bytes: z.int().min(0).nullable(),
  proteins: z.int().min(0).nullable(),
  etag: z.string().max(500).nullable(),
  last_modified: z.string().max(100).nullable(),
  md5: z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .nullable()
    .meta({ description: 'That the server publishes' }),
  release: z.string().max(100).nullable(),
  origin: z.string().max(1000),
  licence: z.string().max(300),
  citation: z.string().max(2000),
  sha256: z.string().nullable().meta({ description: 'From an earlier download of this version; null: none' }),
});
export type PublishedFile = z.infer<typeof publishedFile>;

export const downloadPayload = z.strictObject({
  files: z
    .array(publishedFile)
    .min(1)
    .max(100)
    .meta({ description: 'As plan_reference_download gives them' }),
});

export const referenceDownloadOperations = [
  {
    name: 'plan_reference_download',
    queue: 'svc.jobs',
    light: false,
    payload: planDownloadPayload,
    description: 'Ask UniProt, GOA and GO which files a reference needs, and how large they are',
  },
  {
    name: 'download_reference_files',
    queue: 'svc.jobs',
    light: false,
    payload: downloadPayload,
    description: 'Download the sources of a reference; an interrupted download goes on',
  },
] as const satisfies readonly OperationRow[];
