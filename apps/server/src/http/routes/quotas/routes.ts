import { rateNames } from '@kindred/contracts';
import { mostQuotaCallers, quotaRoutes } from '@kindred/contracts/resources/quotas';
import { roles } from '@kindred/contracts/roles';
import { routesOfRate } from '@kindred/contracts/routes';
import { httpSettingRows } from '../../../ground/settings/http.js';
import { rateSettingRows } from '../../../ground/settings/rates.js';
import { usedToday } from '../../../store/accounts/quotas.repository.js';
import type { Api, HttpSettings, RouteDeps } from '../../deps.js';
import { serve } from '../../serve.js';

/**
 * The operator's settings contain the limits: they are shown here, and changed at the start of the service.
 */
export function serveQuotas(api: Api, { db, settings }: RouteDeps): void {
  serve(api, quotaRoutes.show, async (_request, reply) => {
    reply.header('cache-control', 'no-store');
    const { resetsAt, total, callers } = await usedToday(db, mostQuotaCallers);
    return {
      daily: roles.map((role) => ({
        role,
        sequences_per_day: settings.quotas[role].sequencesPerDay,
        jobs_per_day: settings.quotas[role].jobsPerDay,
      })),
      rates: ratesOf(settings),
      sizes: sizesOf(settings),
      today: {
        resets_at: resetsAt,
        caller_count: total,
        callers: callers.map(({ sequences, jobs, ...who }) => {
          const limits = who.role === null ? null : settings.quotas[who.role];
          return {
            ...who,
            sequences: { used: sequences, limit: limits?.sequencesPerDay ?? null },
            jobs: { used: jobs, limit: limits?.jobsPerDay ?? null },
          };
        }),
      },
    };
  });
}

function ratesOf({ rateLimits, roleRates = {} }: HttpSettings) {
  return rateNames.map((name) => ({
    name,
    routes: routesOfRate(name),
    setting: rateSettingRows[name].env,
    rate: rateLimits[name],
    of_roles: roles.flatMap((role) => {
      const rate = role === 'viewer' ? undefined : roleRates[role]?.[name];
      return rate === undefined ? [] : [{ role, rate }];
    }),
  }));
}

const sizeNames = [
  'maxUploadBytes',
  'maxSequences',
  'maxResidues',
  'maxReferenceFileBytes',
  'ephemeralTtlHours',
] as const;

function sizesOf(settings: HttpSettings) {
  return sizeNames.map((name) => ({
    setting: httpSettingRows[name].env,
    meaning: httpSettingRows[name].description,
    value: settings[name],
  }));
}
