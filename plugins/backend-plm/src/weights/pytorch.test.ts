import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ProblemError } from '@kindred/contracts';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { modelsFolder } from '../testing/golden.js';
import { PickleCall, PickleName, readPickle } from './pickle.js';
import { readPytorch } from './pytorch.js';
import { readTensor } from './read-tensor.js';
import { readSafetensors } from './safetensors.js';

const models = modelsFolder('esm2-pickle', 'esm2-float16');
afterAll(() => rmSync(models, { recursive: true }));
const path = join(models, 'esm2-pickle', 'pytorch_model.bin');

describe('readPytorch', () => {
  it('finds the same numbers as the safetensors of the same model', async () => {
    const other = join(models, 'esm2-float16');
    const expected = await readSafetensors(join(other, 'model.safetensors'));
    const spans = await readPytorch(path);
    let compared = 0;
    for (const [name, span] of expected) {
      if (name.includes('inv_freq')) continue;
      // The newer file has the older names of gain and bias, so they are translated.
      const found = spans.get(name.replace(/gamma$/, 'weight').replace(/beta$/, 'bias'));
      if (!found) throw new Error(`${name} is missing`);
      expect(await readTensor(join(models, 'esm2-pickle'), found)).toEqual(await readTensor(other, span));
      compared++;
    }
    expect(compared).toBeGreaterThan(35);
  });

  it('gives spans within the file or a clear error, whatever the bytes', async () => {
    const good = readFileSync(path);
    const list = good.indexOf('esm.embeddings') - 40;
    const directory = good.length - 4000;
    const place = fc.oneof(
      fc.integer({ min: list, max: list + 4000 }),
      fc.integer({ min: directory, max: good.length - 1 }),
      fc.nat(good.length - 1),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(place, fc.nat(255)), { minLength: 1, maxLength: 4 }),
        fc.nat(good.length),
        async (changes, cut) => {
          const bytes = Buffer.from(good);
          for (const [at, value] of changes) bytes[at] = value;
          const broken = join(models, 'broken.bin');
          writeFileSync(broken, cut % 5 === 0 ? bytes.subarray(0, cut) : bytes);
          try {
            for (const span of (await readPytorch(broken)).values())
              expect(span.offsetBytes + span.sizeBytes).toBeLessThanOrEqual(good.length);
          } catch (error) {
            expect(error).toBeInstanceOf(ProblemError);
          }
        },
      ),
      { numRuns: 400 },
    );
  });
});

describe('readPickle', () => {
  it('runs nothing: a call stays a description of itself', () => {
    // The bytes are the output of pickle.dumps for an object whose __reduce__ returns (os.system, ("touch /tmp/x",)), protocol 2.
    const hostile = Buffer.from(
      '\x80\x02cposix\nsystem\nq\x00X\x0c\x00\x00\x00touch /tmp/xq\x01\x85q\x02Rq\x03.',
      'latin1',
    );
    const value = readPickle(hostile);
    expect(value).toBeInstanceOf(PickleCall);
    expect((value as PickleCall).callee).toEqual(new PickleName('posix.system'));
    expect((value as PickleCall).parameters).toEqual(['touch /tmp/x']);
  });

  it('refuses operations that weights do not need', () => {
    // The operation is INST, which builds an object of a class.
    expect(() => readPickle(Buffer.from('\x80\x02(ios\nsystem\n.', 'latin1'))).toThrow(
      /does what no list of weights does/,
    );
    expect(() => readPickle(Buffer.from('\x80\x02X\xff\xff\xff\x7f', 'latin1'))).toThrow(/damaged/);
  });
});
