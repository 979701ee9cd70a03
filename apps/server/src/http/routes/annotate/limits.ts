import { atLeast } from '@kindred/contracts';
import { annotateRoutes } from '@kindred/contracts/resources/annotate';
import { quotaToday } from '../../../accounts/limits.js';
import type { Api, RouteDeps } from '../../deps.js';
import { networkWeights } from '../../plugins/network-weights.js';
import { serve } from '../../serve.js';
import { quotaSubject } from '../../submit.js';

/** Shows the limits before a request can exceed them. */
export function serveAnnotateLimits(api: Api, deps: RouteDeps): void {
  const { db, settings } = deps;
  const weights = networkWeights(settings);
  serve(api, annotateRoutes.limits, async (request, reply) => {
    const who = await quotaSubject(deps, request);
    reply.header('cache-control', 'no-store');
    return {
      max_upload_bytes: settings.maxUploadBytes,
      max_sequences: settings.maxSequences,
      max_residues: settings.maxResidues,
      sequences_today: await quotaToday(db, settings, who, 'sequences'),
      may_save: atLeast(request.principal.role, 'researcher'),
      default_visibility: settings.defaultVisibility,
      unsaved_hours: settings.ephemeralTtlHours,
      in_browser: weights && { weights: weights.path, size_bytes: weights.sizeBytes },
    };
  });
}
