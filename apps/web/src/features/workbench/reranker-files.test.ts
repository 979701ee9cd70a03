import { expect, it } from 'vitest';
import { missingFiles, type RerankerPart, withFiles } from './reranker-files.js';

const none = new Map<RerankerPart, { name: string }>();

it('recognises the three files by the ends of their names, in any order and in several drops', () => {
  const first = withFiles(none, [{ name: 'booster.TXT' }, { name: 'notes.md' }]);
  expect(first.unknown).toEqual(['notes.md']);
  expect(missingFiles(first.files)).toEqual([
    'spec.yaml (what it was trained on)',
    'run.json (the record of its training)',
  ]);
  const { files, unknown } = withFiles(first.files, [{ name: 'run-7.json' }, { name: 'spec.yml' }]);
  expect(unknown).toEqual([]);
  expect(missingFiles(files)).toEqual([]);
  expect(Object.fromEntries(Array.from(files, ([part, { name }]) => [part, name]))).toEqual({
    'model.txt': 'booster.TXT',
    'run.json': 'run-7.json',
    'spec.yaml': 'spec.yml',
  });
});

it('asks for no model that is in the store already', () => {
  expect(missingFiles(none, true)).toEqual([
    'spec.yaml (what it was trained on)',
    'run.json (the record of its training)',
  ]);
});

it('takes the later of two files of a kind', () => {
  const { files } = withFiles(none, [{ name: 'a.json' }, { name: 'b.json' }]);
  expect(files.get('run.json')?.name).toBe('b.json');
});
