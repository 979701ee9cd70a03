import { type PayloadOf, ProblemError } from '@kindred/contracts';
import type { PublishedFile } from '@kindred/contracts/resources/reference-downloads';
import { describeRemote } from '../../ground/sources/download.js';
import { readWhole } from '../../work/operation/read-whole.js';
import type { OperationContext } from '../../work/operation/operation.js';

type Plan = PayloadOf<'plan_reference_download'>;
type Kind = PublishedFile['kind'];

/** Each publisher has its licence, and the works to cite. */
const publishers = {
  uniprot: {
    origin: 'UniProt',
    licence: 'CC BY 4.0',
    citation: 'The UniProt Consortium, UniProt: the Universal Protein Knowledgebase',
  },
  goa: {
    origin: 'Gene Ontology Annotation (GOA), EMBL-EBI',
    licence: 'CC BY 4.0',
    citation: 'Huntley et al. 2015, doi:10.1093/nar/gku1113',
  },
  go: {
    origin: 'Gene Ontology Consortium',
    licence: 'CC BY 4.0',
    citation: 'The Gene Ontology Consortium, doi:10.1038/75556',
  },
  interpro: {
    origin: 'InterPro, EMBL-EBI',
    licence: 'CC0 1.0',
    citation: 'InterPro2GO, www.ebi.ac.uk/interpro',
  },
} as const;

const timeoutSeconds = 60;
const swissprotFasta = 'uniprot_sprot.fasta.gz';

/** Lists the files that the chosen proteins need, as their servers describe them now. */
export async function publishedFiles(plan: Plan, context: OperationContext): Promise<PublishedFile[]> {
  const files = [await ontologyFile(plan, context)];
  const taxa: number[] = [];
  const embeddings: string[] = [];
  for (const selection of new Set(plan.selections)) {
    if (selection === 'swissprot') {
      files.push(await swissprotFile(plan, context));
      embeddings.push('uniprot_sprot');
    } else {
      const { file, taxon } = await queryFile(selection, plan, context);
      files.push(file);
      taxa.push(taxon);
      embeddings.push(`${selection.split(':')[1]}_${taxon}`);
    }
  }
  for (const url of await annotationUrls(taxa, plan, context))
    files.push(await remoteFile({ kind: 'annotations', url, publisher: 'goa' }, context));
  const mapping = `${plan.addresses.goa}/external2go/interpro2go`;
  files.push(await remoteFile({ kind: 'interpro_mapping', url: mapping, publisher: 'interpro' }, context));
  files.push(...(await constraintFiles(plan, context)));
  if (plan.vectors) files.push(...(await vectorFiles(embeddings, plan, context)));
  return files;
}

/** A reference takes the files in this order: only_in, never_in, unions of taxa. */
const constraintPaths = [
  'taxon_constraints/only_in_taxon.tsv',
  'taxon_constraints/never_in_taxon.tsv',
  'ontology/imports/go-taxon-groupings.obo',
];

/**
 * Lists GO's taxon constraints. If one of the files is missing on their server, the result is empty, and the
 * build takes the table that comes with Kindred.
 */
async function constraintFiles({ addresses }: Plan, context: OperationContext): Promise<PublishedFile[]> {
  const files: PublishedFile[] = [];
  for (const path of constraintPaths) {
    const url = `${addresses.go_sources}/${path}`;
    try {
      files.push(await remoteFile({ kind: 'taxon_constraints', url, publisher: 'go' }, context));
    } catch (error) {
      context.signal.throwIfAborted();
      const reason = error instanceof Error ? error.message : String(error);
      await context.emit('plan_reference_download.no_taxon_constraints', { url, reason }, 'warning');
      return [];
    }
  }
  return files;
}

/**
 * Lists ProtT5's vectors of whole proteins: one file for Swiss-Prot, and one for each proteome that UniProt
 * chose.
 */
async function vectorFiles(
  folders: readonly string[],
  { selections, releases, addresses }: Plan,
  context: OperationContext,
): Promise<PublishedFile[]> {
  if (releases.uniprot !== undefined || selections.some((selection) => selection.startsWith('taxon:')))
    throw new ProblemError(
      'validation_failed',
      'UniProt publishes vectors of its current release, for swissprot and for proteomes: name these, and no release of UniProt.',
    );
  const base = `${addresses.uniprot_files}/current_release/knowledgebase/embeddings`;
  const files: PublishedFile[] = [];
  for (const folder of folders) {
    const url = `${base}/${folder}/per-protein.h5`;
    files.push(await remoteFile({ kind: 'vectors', url, publisher: 'uniprot' }, context));
  }
  return files;
}

function ontologyFile({ releases, addresses }: Plan, context: OperationContext): Promise<PublishedFile> {
  const folder = releases.go === undefined ? addresses.go_current : `${addresses.go_releases}/${releases.go}`;
  return remoteFile(
    {
      kind: 'ontology',
      url: `${folder}/ontology/go-basic.obo`,
      publisher: 'go',
      release: releases.go ?? null,
    },
    context,
  );
}

/** Finds UniProt's release file of Swiss-Prot, with the checksum of the release. */
async function swissprotFile(
  { releases: { uniprot }, addresses }: Plan,
  context: OperationContext,
): Promise<PublishedFile> {
  const folder =
    uniprot === undefined
      ? `${addresses.uniprot_files}/current_release/knowledgebase/complete`
      : `${addresses.uniprot_files}/previous_releases/release-${uniprot}/knowledgebase`;
  const archive = uniprot === undefined ? null : `uniprot_sprot-only${uniprot}.tar.gz`;
  const metalink = await readText(`${folder}/RELEASE.metalink`, context);
  const { md5, release } = inMetalink(metalink, archive ?? swissprotFasta, `${folder}/RELEASE.metalink`);
  return remoteFile(
    {
      kind: 'proteins',
      url: `${folder}/${archive ?? swissprotFasta}`,
      publisher: 'uniprot',
      member: archive === null ? null : swissprotFasta,
      md5,
      release: release ?? uniprot ?? null,
    },
    context,
  );
}

/**
 * @internal Finds the checksum and the release of one file in a RELEASE.metalink of UniProt.
 * @throws ProblemError bad_file if the file is not listed
 */
export function inMetalink(
  text: string,
  fileName: string,
  url: string,
): { md5: string | null; release: string | null } {
  const release = /<version>\s*([^<]+?)\s*<\/version>/.exec(text)?.[1] ?? null;
  const entries = text.match(/<file\s+name="[^"]*"[\s\S]*?<\/file>/g) ?? [];
  const entry = entries.find((one) => /name="([^"]*)"/.exec(one)?.[1] === fileName);
  if (entry === undefined)
    throw new ProblemError(
      'bad_file',
      `${url} does not list ${fileName}; is it the list of a UniProt release?`,
    );
  const md5 = /<hash\s+type="md5">\s*([0-9a-f]{32})\s*<\/hash>/i.exec(entry)?.[1].toLowerCase() ?? null;
  return { md5, release };
}

/** Describes the proteins of a taxon or a proteome by a search of UniProt, and finds their taxon. */
async function queryFile(
  selection: string,
  { releases, addresses }: Plan,
  context: OperationContext,
): Promise<{ file: PublishedFile; taxon: number }> {
  const [kind, id] = selection.split(':');
  if (releases.uniprot !== undefined)
    throw new ProblemError(
      'validation_failed',
      `UniProt answers searches with its current release only: leave out the release of UniProt, or take swissprot instead of ${selection}.`,
    );
  const query = kind === 'taxon' ? `taxonomy_id:${id}` : `proteome:${id}`;
  const url = `${addresses.uniprot_rest}/uniprotkb/search`;
  const headers = await searchHeaders(
    `${url}?format=fasta&size=1&query=${encodeURIComponent(query)}`,
    context,
  );
  const proteins = Number(headers['x-total-results'] ?? 0);
  if (proteins === 0) throw new ProblemError('nothing_loaded', `UniProt has no proteins of ${selection}.`);
  const release = headers['x-uniprot-release'] ?? null;
  return {
    taxon: kind === 'taxon' ? Number(id) : await taxonOf(id, addresses.uniprot_rest, context),
    file: {
      ...publishers.uniprot,
      kind: 'proteins',
      file_name: `${kind}-${id}.fasta`,
      url,
      query,
      member: null,
      size_bytes: null,
      proteins,
      etag: null,
      last_modified: null,
      md5: null,
      release,
      sha256: null,
    },
  };
}

async function searchHeaders(
  url: string,
  { sources, signal }: OperationContext,
): Promise<Record<string, string>> {
  const { headers, bytes } = await sources.open(url, { signal, timeoutMs: 1000 * timeoutSeconds });
  await bytes[Symbol.asyncIterator]().return?.(undefined);
  return headers;
}

/** Asks UniProt for the taxon of a proteome. */
async function taxonOf(proteome: string, rest: string, context: OperationContext): Promise<number> {
  const url = `${rest}/proteomes/${proteome}?format=json`;
  try {
    const { taxonomy } = JSON.parse(await readText(url, context)) as { taxonomy?: { taxonId?: unknown } };
    if (Number.isInteger(taxonomy?.taxonId)) return Number(taxonomy?.taxonId);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new ProblemError('bad_file', `${url} does not name the taxon of the proteome.`);
}

/** GOA has a file for each of many proteomes, and one file of all proteins. */
async function annotationUrls(
  taxa: readonly number[],
  { selections, releases, addresses: { goa } }: Plan,
  context: OperationContext,
): Promise<string[]> {
  if (releases.goa !== undefined) return [`${goa}/old/UNIPROT/goa_uniprot_all.gaf.${releases.goa}.gz`];
  if (selections.includes('swissprot')) return [`${goa}/UNIPROT/goa_uniprot_all.gaf.gz`];
  const list = `${goa}/proteomes/proteome2taxid`;
  const fileOf = new Map<number, string>();
  for (const line of (await readText(list, context)).split('\n')) {
    const [, taxon, file] = line.split('\t');
    if (file !== undefined) fileOf.set(Number(taxon), file.trim());
  }
  return [...new Set(taxa)].map((taxon) => {
    const file = fileOf.get(taxon);
    if (file !== undefined && /^[\w.+-]+$/.test(file)) return `${goa}/proteomes/${file}`;
    throw new ProblemError(
      'nothing_loaded',
      `GOA has no file of its own for taxon ${taxon} (${list} lists those that have one): take a taxon of the list, a strain for instance, or build from files with --gaf.`,
    );
  });
}

async function readText(url: string, context: OperationContext): Promise<string> {
  return Buffer.from(await readWhole(url, timeoutSeconds, context)).toString();
}

interface KnownFile extends Partial<PublishedFile> {
  kind: Kind;
  url: string;
  publisher: keyof typeof publishers;
}

async function remoteFile(
  { kind, url, publisher, ...known }: KnownFile,
  { sources, signal }: OperationContext,
): Promise<PublishedFile> {
  const { sizeBytes, etag, lastModified } = await describeRemote(sources, url, { signal });
  return {
    ...publishers[publisher],
    kind,
    file_name: known.member ?? url.slice(url.lastIndexOf('/') + 1),
    url,
    query: null,
    member: null,
    size_bytes: sizeBytes,
    proteins: null,
    etag,
    last_modified: lastModified,
    md5: null,
    release: null,
    sha256: null,
    ...known,
  };
}
