import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { context } from '@opentelemetry/api';
import { describe, expect, it } from 'vitest';
import { createLog } from './log.js';
import { installPropagation, removePropagation } from './propagation.js';
import { inRequest } from './request-id.js';

function logged(
  write: (log: ReturnType<typeof createLog>) => void,
  level = 'info',
): Record<string, unknown>[] {
  const lines: string[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  write(createLog(level, 'http', sink));
  return lines.map((line) => JSON.parse(line));
}

describe('createLog', () => {
  it('writes one JSON object a line, with time, level, role and message', () => {
    const [line] = logged((log) => log.info({ queue: 'svc.jobs' }, 'hello'));
    expect(line).toMatchObject({ level: 'info', role: 'http', message: 'hello', queue: 'svc.jobs' });
    expect(line.time).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  });

  it('names the request in each line of its work, once', () => {
    installPropagation();
    const text: string[] = [];
    const log = createLog('info', 'http', { write: (line) => text.push(line) });
    context.with(inRequest(context.active(), 'r-1'), () => {
      log.info('plain');
      log.info({ queue: 'svc.jobs' }, 'with fields');
      log.child({ request_id: 'r-1' }).info('of a request');
    });
    log.info('of none');
    removePropagation();
    expect(text.map((line) => line.match(/"request_id":"r-1"/g)?.length ?? 0)).toEqual([1, 1, 1, 0]);
  });

  it('leaves out what is below its level', () => {
    const lines = logged((log) => {
      log.info('no');
      log.warn('yes');
    }, 'warn');
    expect(lines.map((line) => line.message)).toEqual(['yes']);
  });

  it.each(['authorization', 'cookie', 'set-cookie', 'x-api-key', 'password', 'token', 'api_key'])(
    'never shows %s',
    (key) => {
      const secret = 'tell-nobody';
      const [line] = logged((log) =>
        log.info({ [key]: secret, a: { [key]: secret, b: { [key]: secret } } }, 'x'),
      );
      expect(JSON.stringify(line)).not.toContain(secret);
      expect(line[key]).toBe('[removed]');
    },
  );

  it('keeps the cause of an error', () => {
    const [line] = logged((log) =>
      log.error({ err: new Error('outer', { cause: new Error('inner') }) }, 'x'),
    );
    expect(JSON.stringify(line)).toContain('inner');
  });

  it('loses no line when the process ends at once', () => {
    const module = JSON.stringify(join(import.meta.dirname, '../../dist/telemetry/log.js'));
    const source = `import { createLog } from ${module}; const log = createLog('info', 'x'); for (let i = 0; i < 500; i++) log.info({ i }, 'line'); process.exit(0);`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', source], {
      encoding: 'utf8',
    });
    expect(stdout.trim().split('\n')).toHaveLength(500);
  });

  it('lets its process end when the reader of its lines is gone', async () => {
    const module = JSON.stringify(join(import.meta.dirname, '../../dist/telemetry/log.js'));
    const source = `import { createLog } from ${module}; const log = createLog('info', 'x');
      process.on('message', () => { log.info('to nobody'); process.exit(0); }); process.send('up');`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    await once(child, 'message');
    child.stdout?.destroy();
    await once(child.stdout as NodeJS.ReadableStream, 'close');
    child.send('go');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});
