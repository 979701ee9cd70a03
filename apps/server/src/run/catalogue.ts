import { type OperationName, type PayloadOf, ProblemError } from '@kindred/contracts';
import { operationRows } from '@kindred/contracts/operations';
import { inPresentNames } from '@kindred/contracts/resources/prediction-sets';
import type {
  BatchOperation,
  BatchOperationName,
  Operation,
  OperationCatalogue,
} from '../work/operation/operation.js';

type OperationLoaders = { [Name in OperationName]: () => Promise<Operation<Name>> };
interface BatchLoader {
  writeName: string;
  load: () => Promise<BatchOperation>;
}

/**
 * Each row of the contract has exactly one implementation: the compiler refuses a gap, and `checkCatalogue` a
 * mix-up.
 */
const loaders: OperationLoaders = {
  ping: async () => (await import('../work/operation/ping.js')).ping,
  insert_proteins: async () => (await import('../load/insert-proteins.js')).insertProteins,
  load_ontology_snapshot: async () =>
    (await import('../load/load-ontology-snapshot.js')).loadOntologySnapshot,
  load_go_slim: async () => (await import('../load/load-go-slim.js')).loadGoSlim,
  load_goa_annotations: async () => (await import('../load/load-goa-annotations.js')).loadGoaAnnotations,
  load_quickgo_annotations: async () =>
    (await import('../load/load-quickgo-annotations.js')).loadQuickgoAnnotations,
  load_taxonomy: async () => (await import('../load/load-taxonomy.js')).loadTaxonomy,
  load_taxon_constraints: async () =>
    (await import('../load/load-taxon-constraints.js')).loadTaxonConstraints,
  compute_embeddings: async () =>
    (await import('../predict/embeddings/compute-embeddings.js')).computeEmbeddings,
  predict_baseline: async () => (await import('../predict/predict-baseline.js')).predictBaseline,
  rescore_by_votes: async () => (await import('../predict/rescore-by-votes.js')).rescoreByVotes,
  predict_go_terms: async () => (await import('../predict/predict-go-terms.js')).predictGoTerms,
  generate_evaluation_set: async () =>
    (await import('../evaluate/generate-evaluation-set.js')).generateEvaluationSet,
  export_research_dataset: async () =>
    (await import('../evaluate/datasets/export-research-dataset.js')).exportResearchDataset,
  run_cafa_evaluation: async () => (await import('../evaluate/run-cafa-evaluation.js')).runCafaEvaluation,
  calibrate: async () => (await import('../evaluate/calibrate.js')).calibrate,
  import_embeddings: async () =>
    (await import('../predict/embeddings/import-embeddings.js')).importEmbeddings,
  fetch_uniprot_metadata: async () =>
    (await import('../load/fetch-uniprot-metadata.js')).fetchUniprotMetadata,
  load_secondary_accessions: async () =>
    (await import('../load/load-secondary-accessions.js')).loadSecondaryAccessions,
  load_interpro_go_mapping: async () =>
    (await import('../load/load-interpro-go-mapping.js')).loadInterproGoMapping,
  load_interpro_annotations: async () =>
    (await import('../load/load-interpro-annotations.js')).loadInterproAnnotations,
  run_interproscan_batch: async () =>
    (await import('../load/interproscan/run-interproscan-batch.js')).runInterproscanBatch,
  predict_go_terms_from_interpro: async () =>
    (await import('../predict/predict-go-terms-from-interpro.js')).predictGoTermsFromInterpro,
  load_reference_proteins: async () =>
    (await import('../load/references/load-reference-proteins.js')).loadReferenceProteins,
  load_reference_annotations: async () =>
    (await import('../load/references/load-reference-annotations.js')).loadReferenceAnnotations,
  pack_reference: async () => (await import('../load/references/pack-reference.js')).packReference,
  install_reference: async () => (await import('../load/references/install-reference.js')).installReference,
  plan_reference_download: async () =>
    (await import('../load/references/plan-reference-download.js')).planReferenceDownload,
  download_reference_files: async () =>
    (await import('../load/references/download-reference-files.js')).downloadReferenceFiles,
  measure_reference: async () => (await import('../load/references/measure-reference.js')).measureReference,
  verify_reference: async () => (await import('../load/references/verify-reference.js')).verifyReference,
  build_reference: async () => (await import('../load/references/build-reference.js')).buildReference,
};

const batchLoaders: Record<BatchOperationName, BatchLoader> = {
  compute_embeddings_batch: {
    writeName: 'store_embeddings',
    load: async () =>
      (await import('../predict/embeddings/compute-embeddings-batch.js'))
        .computeEmbeddingsBatch as BatchOperation,
  },
  predict_go_terms_batch: {
    writeName: 'store_predictions',
    load: async () =>
      (await import('../predict/predict-go-terms-batch.js')).predictGoTermsBatch as BatchOperation,
  },
};

/** The catalogue has the operations of the product; each implementation is imported at its first use. */
export const operationCatalogue: OperationCatalogue = {
  async operation(name) {
    const row = operationRows.find((candidate) => candidate.name === name);
    if (!row) return undefined;
    const operation = await loaders[row.name]();
    return {
      name,
      parse: (payload) => parsePayload(row, payload),
      run: (payload, context) => (operation as Operation).run(payload as PayloadOf<OperationName>, context),
    };
  },
  async batch(name) {
    return Object.hasOwn(batchLoaders, name) ? batchLoaders[name as BatchOperationName].load() : undefined;
  },
  async batchByWriteName(name) {
    const loader = Object.values(batchLoaders).find((candidate) => candidate.writeName === name);
    return loader?.load();
  },
};

function parsePayload(row: (typeof operationRows)[number], payload: unknown): unknown {
  const parsed = row.payload.safeParse(inPresentNames(payload));
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.map((issue) => ({
    path: `/payload${issue.path.map((part) => `/${String(part)}`).join('')}`,
    message: issue.message,
    code: issue.code,
  }));
  const first = errors[0];
  throw new ProblemError(
    'validation_failed',
    `The payload does not fit ${row.name}: ${first.path} ${first.message}`,
    {
      errors,
    },
  );
}

/**
 * Imports every implementation and compares its names with the contract.
 * @throws Error naming each mismatch
 */
export async function checkCatalogue(): Promise<void> {
  const faults: string[] = [];
  for (const row of operationRows) {
    const operation = await loaders[row.name]();
    if (operation.name !== row.name) faults.push(`${row.name} is implemented by ${operation.name}`);
  }
  for (const [name, loader] of Object.entries(batchLoaders)) {
    const batch = await loader.load();
    if (batch.name !== name) faults.push(`${name} is implemented by ${batch.name}`);
    if (batch.writeName !== loader.writeName) faults.push(`${name} writes as ${batch.writeName}`);
  }
  if (faults.length > 0) throw new Error(`the operation catalogue is inconsistent: ${faults.join('; ')}`);
}
