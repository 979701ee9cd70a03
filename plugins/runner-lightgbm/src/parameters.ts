import { z } from 'zod';

export const parameters = z.strictObject({
  model: z
    .string()
    .min(1)
    .meta({ description: 'LightGBM text model (model.txt) over features of neighbours' }),
  num_iteration: z.int().min(1).max(1_000_000).optional().meta({ description: 'Only the first iterations' }),
});
export type Parameters = z.infer<typeof parameters>;
