import { problemCodes, problemSlugs } from '@kindred/contracts';
import { routeRows } from '@kindred/contracts/routes';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, it } from 'vitest';
import { openApiReference, problemsMarkdown } from './reference.js';

it('describes every route without a database', async () => {
  const { paths } = JSON.parse(await openApiReference());
  const count = Object.values(paths as Record<string, object>).reduce(
    (sum, methods) => sum + Object.keys(methods).length,
    0,
  );
  expect(count).toBe(
    routeRows.length + Object.keys(paths).filter((path) => path.startsWith('/health')).length,
  );
  expect(paths['/health/ready'].get.responses).toHaveProperty('503');
  const annotate = paths['/v1/annotate'].post.requestBody.content;
  expect(annotate['multipart/form-data'].schema.properties.file.format).toBe('binary');
  expect(annotate['application/json'].schema.required).toEqual(['fasta_text']);
});

it('is a valid OpenAPI document whose references all resolve', async () => {
  const description = JSON.parse(await openApiReference());
  const validator = new Validator();
  expect(await validator.validate(structuredClone(description))).toEqual({ valid: true });
  expect(validator.version).toBe('3.1');
  const references = [...JSON.stringify(description).matchAll(/"\$ref":"#([^"]*)"/g)].map(([, path]) => path);
  expect(references.length).toBeGreaterThan(0);
  for (const path of new Set(references)) {
    const target = path
      .split('/')
      .slice(1)
      .reduce((part, key) => part?.[key], description);
    expect([path, typeof target]).toEqual([path, 'object']);
  }
});

it('asks for a body only where the route takes one', async () => {
  const { paths } = JSON.parse(await openApiReference());
  for (const row of routeRows) {
    const path = `/v1${row.path.replaceAll(/:([a-z_]+)/g, '{$1}')}`;
    const { requestBody } = paths[path][row.method.toLowerCase()];
    expect([path, requestBody !== undefined]).toEqual([
      path,
      row.body !== undefined || row.upload !== undefined,
    ]);
  }
});

it('explains every code under its slug', () => {
  const page = problemsMarkdown();
  for (const slug of Object.keys(problemSlugs)) expect(page).toContain(`/problems/${slug}`);
  for (const code of Object.keys(problemCodes)) expect(page).toContain(`| \`${code}\` |`);
});
