import { z } from 'zod';

export const countReply = z.object({ count: z.int().meta({ description: 'Rows that would be deleted' }) });
export const deletedReply = z.object({ deleted: z.int() });
export const resetReply = z.object({
  schema_version: z.int(),
  migrations_applied: z.array(z.string()),
});
