import { problemCodes, problemSlugs, routeRows } from '@kindred/contracts';
import { expect, it } from 'vitest';
import { openApiReference, problemsMarkdown } from './reference.js';

it('describes every route without a database', async () => {
  const { paths } = JSON.parse(await openApiReference());
  const count = Object.values(paths as Record<string, object>).reduce(
    (sum, methods) => sum + Object.keys(methods).length,
    0,
  );
  expect(count).toBe(routeRows.length);
  const annotate = paths['/v1/annotate'].post.requestBody.content;
  expect(annotate['multipart/form-data'].schema.properties.file.format).toBe('binary');
  expect(annotate['application/json'].schema.required).toEqual(['fasta_text']);
});

it('explains every code under its slug', () => {
  const page = problemsMarkdown();
  for (const slug of Object.keys(problemSlugs)) expect(page).toContain(`/problems/${slug}`);
  for (const code of Object.keys(problemCodes)) expect(page).toContain(`| \`${code}\` |`);
});
