import { ProblemError } from '@kindred/contracts';
import { findAnnotationSet } from '../../store/annotations/annotations.repository.js';
import { setAnnotateDefaults } from '../../store/annotations/annotate-reference.repository.js';
import { findEmbeddingConfig } from '../../store/embeddings/embedding-configs.repository.js';
import { findSnapshot } from '../../store/ontology/ontology.repository.js';
import { inTransaction } from '../../store/postgres/db.js';
import type { PackSubject } from '../../store/references/pack-tables.js';
import { inPackSnapshot } from '../../store/references/reference-pack.repository.js';
import {
  countReferenceProteins,
  countReferenceVectors,
} from '../../store/references/reference-proteins.repository.js';
import { findReferenceFile, forgetReferenceFile } from '../../store/references/reference-files.repository.js';
import {
  type BuildStep,
  completeReference,
  type ReferencePart,
  type ReferenceSource,
} from '../../store/references/references.repository.js';
import { countsOfStoring } from '../insert-proteins.js';
import type { Operation, OperationContext } from '../../work/operation/operation.js';
import { ensureReferenceBank } from '../../predict/banks/ensure-reference-bank.js';
import { type BuiltReference, referenceInBuild, stepsDone } from './build-context.js';
import { referenceContentSha256, storedRowDigests } from './content-hash.js';
import { nameOfSource } from './joined-annotations.js';

const name = 'build_reference';
const otherSteps = [
  'load_ontology_snapshot',
  'load_taxonomy',
  'load_interpro_go_mapping',
  'load_taxon_constraints',
  'load_reference_proteins',
  'load_reference_annotations',
  'compute_embeddings',
  'import_embeddings',
] as const;

/** The last step makes the banks and the content hash. Its commit completes the reference. */
export const buildReference: Operation<'build_reference'> = {
  name,
  async run({ reference_id }, context) {
    const reference = await referenceInBuild(reference_id, context);
    const steps = await stepsDone(reference, otherSteps, context);
    const facts = await collect(reference, steps, context);
    context.signal.throwIfAborted();
    const done = await inTransaction(context.db, async (trx) => {
      const completed = await completeReference(trx, reference.id, facts);
      if (completed && reference.make_default) {
        await setAnnotateDefaults(trx, {
          annotation_set_id: reference.annotation_set_id,
          embedding_config_id: reference.vectors[0].embedding_config_id,
        });
      }
      return completed;
    });
    if (!done) throw new ProblemError('conflict', 'The build was cancelled or replaced while it ended.');
    await forgetFiles(reference, context);
    const result = {
      reference: `${reference.name}@${reference.version}`,
      content_sha256: facts.contentSha256,
      proteins: facts.proteinCount,
      left_out: facts.leftOut,
    };
    await context.emit(`${name}.done`, result);
    return { kind: 'done', result };
  },
};

async function collect(reference: BuiltReference, steps: readonly BuildStep[], context: OperationContext) {
  const { db, emit } = context;
  const set = await findAnnotationSet(db, reference.annotation_set_id as string);
  const snapshot = await findSnapshot(db, reference.ontology_snapshot_id as string);
  if (set === undefined || snapshot === undefined)
    throw new ProblemError('conflict', 'The annotations or the ontology were deleted during the build.');
  const parts = partsOf(reference, steps, { set: set.meta, obo: snapshot });
  await emit(`${name}.banks_start`, { configurations: reference.vectors.length });
  const subject: PackSubject = {
    referenceNumber: reference.number,
    setNumber: set.number,
    snapshotId: snapshot.id,
    mappingVersion: parts.some(({ kind }) => kind === 'interpro_mapping')
      ? `${reference.name}@${reference.version}`
      : null,
  };
  const [rowDigests, counts, vectorCounts] = await Promise.all([
    inPackSnapshot(db, (trx) => storedRowDigests(trx, subject)),
    countReferenceProteins(db, reference.number),
    buildBanks(reference, set, context),
  ]);
  const content = {
    oboSha256: snapshot.obo_sha256,
    configIds: reference.vectors.map((vectors) => vectors.embedding_config_id),
    parts,
  };
  const contentSha256 = await referenceContentSha256(db, content, rowDigests);
  return {
    contentSha256,
    parts,
    proteinCount: counts.proteins,
    leftOut: leftOutOf(steps, set.meta),
    vectorCounts,
  };
}

/** Builds the bank of each configuration, and counts the vectors that the reference has in it. */
async function buildBanks(
  reference: BuiltReference,
  set: { id: string; number: number; ontology_snapshot_id: string },
  context: OperationContext,
): Promise<number[]> {
  const { db, settings, artifacts, emit } = context;
  const counts: number[] = [];
  for (const { embedding_config_id: id } of reference.vectors) {
    const config = await findEmbeddingConfig(db, id);
    if (config === undefined)
      throw new ProblemError('conflict', `Embedding configuration ${id} was deleted during the build.`);
    await ensureReferenceBank(context, settings.cacheDir, { config, set }, { artifacts, emit });
    counts.push(await countReferenceVectors(db, reference.number, id));
    await context.progress(counts.length, reference.vectors.length);
  }
  return counts;
}

type Counted = Record<string, unknown> & { content_sha256?: string };

function partsOf(
  reference: BuiltReference,
  steps: readonly BuildStep[],
  {
    set,
    obo,
  }: {
    set: Record<string, unknown>;
    obo: { obo_version: string; obo_sha256: string; relationship_count: number };
  },
): ReferencePart[] {
  const { inputs } = reference;
  const resultOf = (operation: string) =>
    steps.find((step) => step.operation === operation)?.result as Counted | undefined;
  const proteins = (resultOf('load_reference_proteins')?.files ?? []) as Counted[];
  const annotations = (set.files ?? []) as Counted[];
  const ontology = part('ontology', inputs.ontology, {
    relations: obo.relationship_count,
  });
  return [
    { ...ontology, name: obo.obo_version, sha256: obo.obo_sha256 },
    ...(inputs.proteins ?? []).map((source, i) => part('proteins', source, proteins[i])),
    ...(inputs.annotations ?? []).map((source, i) => part('annotations', source, annotations[i])),
    ...Object.values(inputs.taxonomy ?? {})
      .filter((source) => source !== undefined)
      .map((source) => part('taxonomy', source, {})),
    ...(inputs.interpro_mapping === undefined
      ? []
      : [part('interpro_mapping', inputs.interpro_mapping, resultOf('load_interpro_go_mapping'))]),
    ...Object.values(inputs.taxon_constraints ?? {}).map((source) => part('taxon_constraints', source, {})),
    ...(inputs.vectors ?? []).map((source) => part('vectors', source, importOf(source, steps))),
  ];
}

function importOf({ url }: ReferenceSource, steps: readonly BuildStep[]): Counted | undefined {
  const step = steps.find(({ payload }) => payload.vectors_url === url);
  return step?.result as Counted | undefined;
}

/**
 * These counts depend on the build, so they are left out: the same files give the same parts, also after an
 * interruption and in a database that has some of the proteins.
 */
const countsOfThisBuild = new Set([...countsOfStoring, 'elapsed_seconds']);

function part(
  kind: ReferencePart['kind'],
  source: ReferenceSource | undefined,
  counted: Counted = {},
): ReferencePart {
  const sent = /^upload:([0-9a-f]{64})$/.exec(source?.url ?? '')?.[1];
  const counts = Object.entries(counted).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number' && !countsOfThisBuild.has(entry[0]),
  );
  return {
    kind,
    name: source === undefined ? kind : nameOfSource(source),
    origin: source?.origin ?? (sent === undefined ? (source?.url ?? null) : null),
    licence: source?.licence ?? null,
    citation: source?.citation ?? null,
    sha256: counted.content_sha256 ?? sent ?? null,
    counts: Object.fromEntries(counts),
  };
}

function leftOutOf(steps: readonly BuildStep[], set: Record<string, unknown>): Record<string, number> {
  const proteins = steps.find((step) => step.operation === 'load_reference_proteins')?.result?.files as
    | Record<string, number>[]
    | undefined;
  const sum = (field: string) => (proteins ?? []).reduce((total, file) => total + (file[field] ?? 0), 0);
  const all = {
    'proteins that a file has twice': sum('duplicates_skipped'),
    'protein records that cannot be used': sum('bad_records'),
    ...(set.left_out as Record<string, number> | undefined),
  };
  return Object.fromEntries(Object.entries(all).filter(([, count]) => count > 0));
}

/**
 * The database now holds the content of the files that were sent. A file that another build waits for stays.
 */
async function forgetFiles({ inputs }: BuiltReference, { db, artifacts }: OperationContext): Promise<void> {
  const sources = [
    inputs.ontology,
    inputs.interpro_mapping,
    ...(inputs.vectors ?? []),
    ...(inputs.proteins ?? []),
    ...(inputs.annotations ?? []),
    ...Object.values(inputs.taxonomy ?? {}),
    ...Object.values(inputs.taxon_constraints ?? {}),
  ];
  for (const source of sources) {
    const sha256 = /^upload:([0-9a-f]{64})$/.exec(source?.url ?? '')?.[1];
    const file = sha256 === undefined ? undefined : await findReferenceFile(db, sha256);
    if (file === undefined) continue;
    await forgetReferenceFile(db, file.sha256);
    await artifacts.delete(file.uri);
  }
}
