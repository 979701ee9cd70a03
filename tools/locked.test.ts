import { describe, expect, it } from 'vitest';
import { neededBy, productPackages } from './generate/locked.mjs';

const lock = {
  app: {
    dependencies: { ours: '1', 'a-b': '1' },
    devDependencies: { tests: '1' },
    optionalDependencies: { elsewhere: '1' },
  },
  'node_modules/ours': { link: true, resolved: 'packages/ours' },
  'packages/ours': {
    dependencies: { shared: '1' },
    peerDependencies: { perhaps: '1' },
    peerDependenciesMeta: { perhaps: { optional: true } },
  },
  'node_modules/shared': { version: '1' },
  'node_modules/a-b': { version: '1', dependencies: { shared: '2' } },
  'node_modules/a-b/node_modules/shared': { version: '2' },
  'node_modules/perhaps': { version: '1' },
  'node_modules/tests': { version: '1' },
};

describe('the packages that another needs', () => {
  it('are its own and those of what it needs, from the nearest folder, without those for development', () => {
    expect([...neededBy(['app'], lock)].sort()).toEqual([
      'app',
      'node_modules/a-b',
      'node_modules/a-b/node_modules/shared',
      'node_modules/shared',
      'packages/ours',
    ]);
  });

  it('are in the lock file, or it is refused', () => {
    expect(() => neededBy(['app'], { ...lock, 'node_modules/a-b': undefined })).toThrow(
      'lacks a-b, which app',
    );
  });

  it('are for the product those of the service and the page, without what builds and tests them', () => {
    const names = [...productPackages()].map((path) => path.slice(path.lastIndexOf('node_modules/') + 13));
    for (const name of ['fastify', 'pg', 'zod', 'kysely', 'react']) expect(names).toContain(name);
    for (const name of ['vite', 'vitest', '@typescript/native', '@types/node', 'onnxruntime-node'])
      expect(names).not.toContain(name);
  });
});
