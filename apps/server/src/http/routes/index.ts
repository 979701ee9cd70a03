import type { RouteModule } from '../deps.js';
import { annotateLimitsRoute } from './annotate/limits.js';
import { annotateRoutes } from './annotate/routes.js';
import { annotationSetRoutes } from './annotation-sets/routes.js';
import { apiKeyRoutes } from './api-keys/routes.js';
import { auditRoutes } from './audit/routes.js';
import { authRoutes } from './auth/routes.js';
import { embeddingConfigRoutes } from './embedding-configs/routes.js';
import { evaluationSetRoutes } from './evaluation-sets/routes.js';
import { jobRoutes } from './jobs/routes.js';
import { mailRoutes } from './mail/routes.js';
import { maintenanceRoutes } from './maintenance/routes.js';
import { operationsRoutes } from './operations/routes.js';
import { predictionSetRoutes } from './prediction-sets/routes.js';
import { proteinRoutes } from './proteins/routes.js';
import { querySetRoutes } from './query-sets/routes.js';
import { registryRoutes } from './registry/routes.js';
import { datasetRoutes } from './datasets/routes.js';
import { experimentRunRoutes } from './experiment-runs/routes.js';
import { rerankerRoutes } from './rerankers/routes.js';
import { scoringRoutes } from './scoring/routes.js';
import { snapshotRoutes } from './snapshots/routes.js';
import { benchmarkRoutes } from './benchmark/routes.js';
import { showcaseRoutes } from './showcase/routes.js';
import { stackRoutes } from './stack/routes.js';
import { supportRoutes } from './support/routes.js';
import { userRoutes } from './users/routes.js';

/** Every resource of the API; each module is mounted at /v1 and bare. */
export const routeModules: readonly RouteModule[] = [
  jobRoutes,
  proteinRoutes,
  snapshotRoutes,
  annotationSetRoutes,
  evaluationSetRoutes,
  embeddingConfigRoutes,
  predictionSetRoutes,
  querySetRoutes,
  annotateRoutes,
  annotateLimitsRoute,
  registryRoutes,
  operationsRoutes,
  authRoutes,
  apiKeyRoutes,
  userRoutes,
  auditRoutes,
  maintenanceRoutes,
  mailRoutes,
  supportRoutes,
  stackRoutes,
  benchmarkRoutes,
  showcaseRoutes,
  datasetRoutes,
  experimentRunRoutes,
  rerankerRoutes,
  scoringRoutes,
];
