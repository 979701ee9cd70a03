import { type BackendPlugin, type PluginSettingMeta, ProblemError } from '@kindred/contracts';
import { z } from 'zod';

const settings = z.strictObject({
  url: z
    .url({ protocol: /^https?$/, message: 'must be an http:// or https:// address' })
    .nullable()
    .default(null)
    .meta({
      description:
        'Server of the Open Inference Protocol (KServe, Triton) for backend "inference". Only this address is asked; redirects are not followed',
      example: 'http://triton:8000',
      aliases: { env: 'SVC_INFERENCE_URL', yaml: 'models.inference_url' },
    } satisfies PluginSettingMeta),
  token: z
    .string()
    .trim()
    .min(1)
    .nullable()
    .default(null)
    .meta({
      description: 'Bearer token for the inference server',
      example: 'a token',
      secret: true,
      aliases: { env: 'SVC_INFERENCE_TOKEN', yaml: 'models.inference_token' },
    } satisfies PluginSettingMeta),
});

export const plugin: BackendPlugin<typeof settings> = {
  kind: 'backend',
  name: 'inference',
  version: '1.0.0',
  description: 'Models of a server that speaks the Open Inference Protocol (KServe, Triton), over HTTP',
  citations: [],
  parameters: z.strictObject({}),
  settings,
  // The limit is long, because each request has limits of its own, which say more.
  limitSeconds: 3600,
  async load({ settings: { url, token } }) {
    if (url === null) {
      throw new ProblemError(
        'backend_unavailable',
        'No inference server is set; an operator can name one by SVC_INFERENCE_URL.',
      );
    }
    const { inferenceBackend } = await import('./backend.js');
    return inferenceBackend({
      url,
      token,
      timeoutMs: 120_000,
      maxRetries: 4,
      retryBaseMs: 500,
    });
  },
};
