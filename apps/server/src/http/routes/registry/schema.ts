import { z } from 'zod';

export const pluginReply = z.object({
  name: z.string(),
  package: z.string(),
  state: z.enum(['available', 'unavailable']),
  reason: z.string().nullable().meta({ description: 'Why it is unavailable' }),
  version: z.string().nullable(),
  description: z.string().nullable(),
  citations: z.array(z.string()),
  parameters: z
    .record(z.string(), z.unknown())
    .nullable()
    .meta({ description: 'JSON Schema of its parameters' }),
});
