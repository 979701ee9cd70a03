import { afterEach, expect, it, vi } from 'vitest';
import { commandLine } from './program.js';
import { refuseInOneLine } from './usage-faults.js';

afterEach(() => vi.restoreAllMocks());

async function refused(line: string): Promise<{ err: string; code: number | undefined }> {
  let err = '';
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => (err += String(text)) !== '');
  vi.spyOn(process, 'exit').mockImplementation((code) => {
    throw new Error(`exit ${code}`);
  });
  const program = await commandLine();
  refuseInOneLine(program);
  const ended = await program.parseAsync(line.split(' '), { from: 'user' }).then(
    () => undefined,
    (error: Error) => Number(/^exit (\d+)$/.exec(error.message)?.[1]),
  );
  return { err, code: ended };
}

it.each([
  ['anotate x.fasta', "kindred: unknown command 'anotate' (did you mean annotate?). Help: kindred --help\n"],
  [
    'export --format gaf',
    "kindred: missing required argument 'prediction-set'. Help: kindred export --help\n",
  ],
  [
    'annotate x.fasta --neighbours abc',
    "kindred: option '--neighbours <k>' argument 'abc' is invalid. Give a whole number from 1 on. Help: kindred annotate --help\n",
  ],
  [
    'reference biuld',
    "kindred: unknown command 'biuld' (did you mean build?). Help: kindred reference --help\n",
  ],
])('answers %s by one line and exit code 64', async (line, err) => {
  expect(await refused(line)).toEqual({ err, code: 64 });
});

it('ends well where help is asked for', async () => {
  vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
  expect(await refused('reference --help')).toEqual({ err: '', code: 0 });
});
