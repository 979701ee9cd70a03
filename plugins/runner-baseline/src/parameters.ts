import { z } from 'zod';

export const parameters = z.strictObject({
  minimum_score: z
    .number()
    .min(0)
    .max(1)
    .default(0.01)
    .meta({ description: 'Leave out terms that a smaller share of the references carries' }),
});
