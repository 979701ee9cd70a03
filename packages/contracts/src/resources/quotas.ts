import { z } from 'zod';
import { roles } from '../roles.js';
import { rateNames, routesOf } from '../route.js';

/** The maximum number of callers that a reply lists. */
export const mostQuotaCallers = 200;

const daily = z.int().nullable().meta({ description: 'Per UTC day; null: without limit' });
const setting = z.string().meta({ description: 'The setting that the operator changes it by' });
const size = z.object({ setting, meaning: z.string(), value: z.number() });
const used = z.object({ used: z.int(), limit: daily });

export const quotasReply = z.object({
  daily: z
    .array(z.object({ role: z.enum(roles), sequences_per_day: daily, jobs_per_day: daily }))
    .meta({ description: 'viewer: callers without an account' }),
  rates: z.array(
    z.object({
      name: z.enum(rateNames),
      routes: z.string(),
      setting,
      rate: z.string().meta({ description: 'Of each caller, such as 10/minute; several joined by ;' }),
      of_roles: z
        .array(z.object({ role: z.enum(roles), rate: z.string() }))
        .meta({ description: 'Roles with a rate of their own' }),
    }),
  ),
  sizes: z.array(size),
  today: z.object({
    resets_at: z.string(),
    caller_count: z.int().meta({ description: 'Callers that used something of a daily quota today' }),
    callers: z
      .array(
        z.object({
          user_id: z.guid().nullable(),
          username: z.string().nullable().meta({
            description: 'null: without an account, or the account is gone',
          }),
          email: z.string().nullable(),
          role: z.enum(roles).nullable().meta({ description: 'Today’s; null: the account is gone' }),
          sequences: used,
          jobs: used,
        }),
      )
      .meta({ description: `The ${mostQuotaCallers} that used most; roles without limit are not counted` }),
  }),
});

export const quotaRoutes = routesOf('administration', {
  show: {
    method: 'GET',
    path: '/admin/quotas',
    floor: 'admin',
    summary: 'Limits that apply, and who used how much of the daily quotas today',
    reply: { 200: quotasReply },
  },
});
