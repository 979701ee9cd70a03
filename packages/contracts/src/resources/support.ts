import { z } from 'zod';
import { booleanQuery } from '../fields.js';
import { routesOf } from '../route.js';

const longestComment = 500;

export const supportQuery = z.strictObject({
  all_comments: booleanQuery
    .default(false)
    .meta({ description: 'The newest 100 comments instead of the newest 20' }),
});
/** The body of a thumbs-up; without a body the thumbs-up has no words. */
export const supportBody = z
  .strictObject({
    comment: z
      .string()
      .max(4 * longestComment)
      .trim()
      .refine((text) => [...text].length <= longestComment, `at most ${longestComment} characters`)
      .transform((text) => text || null)
      .nullish()
      .meta({
        description: `At most ${longestComment} characters; a blank text means no comment`,
        maxLength: longestComment,
      }),
  })
  .nullish();

export const supportReply = z.object({
  count: z.int().meta({ description: 'All thumbs-up' }),
  comments: z.array(z.object({ id: z.guid(), comment: z.string(), created_at: z.string() })),
});
export const supportGivenReply = z.object({
  id: z.guid(),
  count: z.int().meta({ description: 'All thumbs-up, including this one' }),
});

export const supportRoutes = routesOf('community', {
  show: {
    method: 'GET',
    path: '/support',
    floor: 'viewer',
    summary: 'Number of thumbs-up and the newest comments',
    query: supportQuery,
    reply: { 200: supportReply },
  },
  give: {
    method: 'POST',
    path: '/support',
    floor: 'viewer',
    summary: 'Give a thumbs-up, with a comment if you like',
    rate: 'support',
    body: supportBody,
    reply: { 201: supportGivenReply },
  },
});
