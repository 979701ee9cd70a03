import type { RouteModule } from '../deps.js';
import { serveAnnotateCheck } from './annotate/check.js';
import { serveAnnotateLimits } from './annotate/limits.js';
import { serveAnnotateReference } from './annotate/reference.js';
import { serveAnnotate } from './annotate/routes.js';
import { serveAnnotationSets } from './annotation-sets/routes.js';
import { serveApiKeys } from './api-keys/routes.js';
import { serveAudit } from './audit/routes.js';
import { serveInstitutions } from './auth/institutions.js';
import { servePasskeys } from './auth/passkeys.js';
import { serveAuth } from './auth/routes.js';
import { serveDependents } from './dependents/routes.js';
import { serveEmbeddingConfigs } from './embedding-configs/routes.js';
import { serveEvaluationSets } from './evaluation-sets/routes.js';
import { serveJobs } from './jobs/routes.js';
import { serveMail } from './mail/routes.js';
import { serveMaintenance } from './maintenance/routes.js';
import { serveWorkers } from './operations/routes.js';
import { serveAnswers } from './answers/routes.js';
import { serveEnrichment } from './enrichment/routes.js';
import { serveExports } from './exports/routes.js';
import { serveProteomeMatrix } from './proteome-matrix/routes.js';
import { servePredictionSets } from './prediction-sets/routes.js';
import { serveProteins } from './proteins/routes.js';
import { serveQuotas } from './quotas/routes.js';
import { serveQuerySets } from './query-sets/routes.js';
import { serveRegistry } from './registry/routes.js';
import { serveDatasets } from './datasets/routes.js';
import { serveExperimentRuns } from './experiment-runs/routes.js';
import { serveRerankers } from './rerankers/routes.js';
import { serveReferences } from './references/routes.js';
import { serveScoring } from './scoring/routes.js';
import { serveSlims } from './slims/routes.js';
import { serveSnapshots } from './snapshots/routes.js';
import { serveBenchmark } from './benchmark/routes.js';
import { serveShowcase } from './showcase/routes.js';
import { serveStack } from './stack/routes.js';
import { serveStatedTerms } from './stated-terms/routes.js';
import { serveSupport } from './support/routes.js';
import { serveTermEvidence } from './term-evidence/routes.js';
import { serveUsers } from './users/routes.js';
import { serveWebhooks } from './webhooks/routes.js';
import { serveWhatsNew } from './whats-new/routes.js';

/** The API consists of these resources; each module is mounted at /v1 and bare. */
export const routeModules: readonly RouteModule[] = [
  serveJobs,
  serveProteins,
  serveSnapshots,
  serveSlims,
  serveAnnotationSets,
  serveEvaluationSets,
  serveEmbeddingConfigs,
  servePredictionSets,
  serveAnswers,
  serveExports,
  serveEnrichment,
  serveProteomeMatrix,
  serveWhatsNew,
  serveQuerySets,
  serveStatedTerms,
  serveAnnotate,
  serveAnnotateCheck,
  serveAnnotateLimits,
  serveAnnotateReference,
  serveRegistry,
  serveWorkers,
  serveQuotas,
  serveAuth,
  serveInstitutions,
  servePasskeys,
  serveApiKeys,
  serveUsers,
  serveAudit,
  serveMaintenance,
  serveMail,
  serveSupport,
  serveStack,
  serveBenchmark,
  serveShowcase,
  serveDatasets,
  serveExperimentRuns,
  serveRerankers,
  serveScoring,
  serveReferences,
  serveTermEvidence,
  serveWebhooks,
  serveDependents,
];
