import { atLeast } from '@kindred/contracts';
import { noQuery } from '@kindred/contracts/fields';
import { annotateLimitsReply } from '@kindred/contracts/resources/annotate';
import { quotaToday } from '../../../accounts/limits.js';
import type { Api, RouteDeps } from '../../deps.js';
import { quotaSubject } from '../../submit.js';

/** Tells the limits beforehand, so that nobody meets them by a refusal. */
export function annotateLimitsRoute(api: Api, deps: RouteDeps): void {
  const { db, settings } = deps;
  api.get(
    '/annotate/limits',
    { schema: { querystring: noQuery, response: { 200: annotateLimitsReply } } },
    async (request, reply) => {
      const who = await quotaSubject(deps, request);
      reply.header('cache-control', 'no-store');
      return {
        max_upload_bytes: settings.maxUploadBytes,
        max_sequences: settings.maxSequences,
        max_residues: settings.maxResidues,
        sequences_today: await quotaToday(db, settings, who, 'sequences'),
        may_save: atLeast(request.principal.role, 'researcher'),
        unsaved_hours: settings.ephemeralTtlHours,
      };
    },
  );
}
