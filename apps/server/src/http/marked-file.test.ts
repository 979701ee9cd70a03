import type { FastifyReply } from 'fastify';
import { expect, it } from 'vitest';
import { markedFile } from './marked-file.js';

const reply = () => {
  const headers: Record<string, string> = {};
  return { headers, header: (name: string, value: string) => (headers[name] = value) };
};
const mark = (version: string, digit: string | null) => ({
  id: 'x',
  name: 'yeast',
  version,
  content_sha256: digit === null ? null : digit.repeat(64),
});
const named = (...marks: Parameters<typeof markedFile>[2]) => {
  const to = reply();
  const name = markedFile(to as unknown as FastifyReply, { name: 'answers_1', extension: 'tsv' }, marks);
  return [name, to.headers['kindred-reference']];
};

it('names the references of a file: in short in its name, with whole hashes in the header', () => {
  expect(named(mark('2020', 'a'))).toEqual([
    `answers_1_yeast@2020_${'a'.repeat(12)}.tsv`,
    `yeast@2020, SHA-256 ${'a'.repeat(64)}`,
  ]);
  expect(named(mark('2020', 'a'), mark('2022', 'b'))).toEqual([
    `answers_1_yeast@2020_${'a'.repeat(12)}_yeast@2022_${'b'.repeat(12)}.tsv`,
    `yeast@2020, SHA-256 ${'a'.repeat(64)}; yeast@2022, SHA-256 ${'b'.repeat(64)}`,
  ]);
});

it('names none where there is none, or where its hash is not known', () => {
  expect(named(null)).toEqual(['answers_1.tsv', undefined]);
  expect(named(mark('2020', null), null)).toEqual(['answers_1_yeast@2020.tsv', 'yeast@2020']);
});
