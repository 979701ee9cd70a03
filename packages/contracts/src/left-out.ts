import { z } from 'zod';

/** The ways to handle records of an upload that cannot be read. */
export const badRecords = z.enum(['refuse', 'leave_out']);
export type BadRecords = z.infer<typeof badRecords>;
export const badRecordsMeaning =
  'Records that cannot be read (a letter that is not a residue, a name given twice): refuse the upload, or leave them out and list them in left_out. Default refuse';

export const mostListed = 100;
/** The entries of a file of sequences from which no protein was made. */
export const leftOut = z
  .object({
    count: z.int(),
    records: z
      .array(z.object({ line: z.int(), record: z.string().nullable(), reason: z.string() }))
      .meta({ description: `The first ${mostListed}, by line` }),
  })
  .meta({ description: 'What the upload names and no protein was made of' });
export type LeftOut = z.infer<typeof leftOut>;
