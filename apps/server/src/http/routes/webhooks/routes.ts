import { ProblemError } from '@kindred/contracts';
import { webhookRoutes } from '@kindred/contracts/resources/webhooks';
import { listDeliveries } from '../../../store/jobs/webhook-deliveries.repository.js';
import { listWebhooks } from '../../../store/jobs/webhooks.repository.js';
import {
  addWebhook,
  changeWebhook,
  ownWebhook,
  pingWebhook,
  removeWebhook,
  rotateSecret,
  type WebhookRules,
} from '../../../work/webhooks/webhooks.js';
import { linkNext, readAfter } from '../../cursor.js';
import type { Api, RouteDeps } from '../../deps.js';
import { requireAccount } from '../../plugins/credentials.js';
import { serve } from '../../serve.js';
import { presentDelivery, presentWebhook } from './present.js';

export function serveWebhooks(api: Api, { db, settings, checkWebhookAddress }: RouteDeps): void {
  const rules: WebhookRules = { serverSecret: settings.jwtSecret, checkAddress: checkWebhookAddress };

  serve(api, webhookRoutes.create, async (request, reply) => {
    const { webhook, secret } = await addWebhook(db, request.principal, rules, request.body);
    reply.code(201).header('cache-control', 'no-store').header('location', `/v1/webhooks/${webhook.id}`);
    return { ...presentWebhook(webhook), secret };
  });
  serve(api, webhookRoutes.list, async (request, reply) => {
    const { user_id, limit, after } = request.query;
    const { principal } = request;
    if (user_id !== undefined && user_id !== principal.user?.id && principal.role !== 'admin')
      throw new ProblemError('role_too_low', "Only an admin sees another user's webhooks.");
    const userId = user_id ?? requireAccount(principal).id;
    const page = await listWebhooks(db, { userId, limit, after: readAfter(after) });
    linkNext(request, reply, { limit, page, time: 'created_at' });
    return page.rows.map(presentWebhook);
  });
  serve(api, webhookRoutes.show, async ({ params, principal }) =>
    presentWebhook(await ownWebhook(db, { ...params, principal })),
  );
  serve(api, webhookRoutes.change, async ({ params, principal, body }) =>
    presentWebhook(await changeWebhook(db, { ...params, principal }, rules, body)),
  );
  serve(api, webhookRoutes.remove, async ({ params, principal }, reply) => {
    await removeWebhook(db, { ...params, principal });
    return reply.code(204).send();
  });
  serve(api, webhookRoutes.rotate, async ({ params, principal }, reply) => {
    const { webhook, secret } = await rotateSecret(db, { ...params, principal }, rules);
    reply.header('cache-control', 'no-store');
    return { ...presentWebhook(webhook), secret };
  });
  serve(api, webhookRoutes.ping, async ({ params, principal }, reply) => {
    const delivery = await pingWebhook(db, { ...params, principal });
    reply.code(202).header('location', `/v1/webhooks/${params.id}/deliveries`);
    return presentDelivery(delivery);
  });
  serve(api, webhookRoutes.deliveries, async (request, reply) => {
    const { params, principal, query } = request;
    await ownWebhook(db, { ...params, principal });
    const { limit, after } = query;
    const page = await listDeliveries(db, { webhookId: params.id, limit, after: readAfter(after) });
    linkNext(request, reply, { limit, page, time: 'created_at' });
    return page.rows.map(presentDelivery);
  });
}
