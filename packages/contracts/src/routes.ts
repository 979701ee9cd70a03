import { type RateName, type Route, rates } from './route.js';
import { jobRoutes } from './resources/jobs.js';
import { proteinRoutes } from './resources/proteins.js';
import { snapshotRoutes } from './resources/snapshots.js';
import { slimRoutes } from './resources/slims.js';
import { annotationSetRoutes } from './resources/annotation-sets.js';
import { embeddingConfigRoutes } from './resources/embedding-configs.js';
import { predictionSetRoutes } from './resources/prediction-sets.js';
import { answerRoutes } from './resources/answers.js';
import { termEvidenceRoutes } from './resources/term-evidence.js';
import { enrichmentRoutes } from './resources/enrichment.js';
import { proteomeMatrixRoutes } from './resources/proteome-matrix.js';
import { whatsNewRoutes } from './resources/whats-new.js';
import { exportRoutes } from './resources/exports.js';
import { querySetRoutes } from './resources/query-sets.js';
import { statedTermRoutes } from './resources/stated-terms.js';
import { annotateRoutes } from './resources/annotate.js';
import { registryRoutes } from './resources/registry.js';
import { workerRoutes } from './resources/workers.js';
import { maintenanceRoutes } from './resources/maintenance.js';
import { quotaRoutes } from './resources/quotas.js';
import { userRoutes } from './resources/users.js';
import { auditRoutes } from './resources/audit.js';
import { authRoutes } from './resources/auth.js';
import { institutionRoutes } from './resources/institutions.js';
import { passkeyRoutes } from './resources/passkeys.js';
import { apiKeyRoutes } from './resources/api-keys.js';
import { showcaseRoutes } from './resources/showcase.js';
import { benchmarkRoutes } from './resources/benchmark.js';
import { supportRoutes } from './resources/support.js';
import { evaluationSetRoutes } from './resources/evaluation-sets.js';
import { stackRoutes } from './resources/stack.js';
import { datasetRoutes } from './resources/datasets.js';
import { experimentRunRoutes } from './resources/experiment-runs.js';
import { rerankerRoutes } from './resources/rerankers.js';
import { scoringRoutes } from './resources/scoring.js';
import { referenceRoutes } from './resources/references.js';
import { webhookRoutes } from './resources/webhooks.js';
import { dependentRoutes } from './resources/dependents.js';

const resources = [
  jobRoutes,
  proteinRoutes,
  snapshotRoutes,
  slimRoutes,
  annotationSetRoutes,
  embeddingConfigRoutes,
  predictionSetRoutes,
  answerRoutes,
  termEvidenceRoutes,
  exportRoutes,
  enrichmentRoutes,
  proteomeMatrixRoutes,
  whatsNewRoutes,
  querySetRoutes,
  statedTermRoutes,
  annotateRoutes,
  registryRoutes,
  workerRoutes,
  maintenanceRoutes,
  quotaRoutes,
  userRoutes,
  auditRoutes,
  authRoutes,
  institutionRoutes,
  passkeyRoutes,
  apiKeyRoutes,
  showcaseRoutes,
  benchmarkRoutes,
  supportRoutes,
  evaluationSetRoutes,
  stackRoutes,
  datasetRoutes,
  experimentRunRoutes,
  rerankerRoutes,
  scoringRoutes,
  referenceRoutes,
  webhookRoutes,
  dependentRoutes,
] as const;
/** Every route of the API, as a union of what each declares. */
export type AnyRoute = MemberOf<(typeof resources)[number]>;
type MemberOf<Routes> = Routes extends unknown ? Routes[keyof Routes] : never;
export const routeRows: readonly Route[] = resources.flatMap((routes) => Object.values<Route>(routes));

const byKey = new Map(routeRows.map((row) => [`${row.method} ${row.path}`, row]));
/** Returns the row of a route, or undefined. `path` is relative to the mount. */
export function routeRow(method: string, path: string): Route | undefined {
  return byKey.get(`${method} ${path}`);
}

/** Says which routes a limit counts, and what else of it. */
export function routesOfRate(name: RateName): string {
  const routes = routeRows.filter(({ rate }) => rate === name).map(({ method, path }) => `${method} ${path}`);
  const { note }: { default: string; note?: string } = rates[name];
  return [routes.join(', '), note].filter(Boolean).join('; ');
}
