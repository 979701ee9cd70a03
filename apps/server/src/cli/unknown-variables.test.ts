import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { environmentWithoutSettings } from '../run/env.js';
import { programFile } from '../ground/folders.js';
import { expect, it } from 'vitest';

it.each(['http', 'worker'])('%s names variables that nothing reads, and what may be meant', async (role) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'kindred-variables-'));
  const child = spawn(process.execPath, [programFile, role], {
    env: {
      ...environmentWithoutSettings(),
      SVC_DATA_DIR: dataDir,
      // No server listens at this port; the warning comes before.
      SVC_DB_URL: 'postgresql://u:p@127.0.0.1:1/none',
      SVC_PORT: '0',
      SVC_LOG_LEVL: 'debug',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  try {
    const lines: string[] = [];
    const isNamed = (line: string) => line.includes('SVC_LOG_LEVL is not a setting');
    const read = async (stream: NodeJS.ReadableStream) => {
      for await (const line of createInterface({ input: stream }))
        if (lines.push(line) && isNamed(line)) return;
    };
    await Promise.race([read(child.stdout), read(child.stderr), ended]);
    expect(lines.find(isNamed), lines.join('\n')).toContain('Did you mean SVC_LOG_LEVEL?');
  } finally {
    child.kill('SIGKILL');
    await ended;
    await rm(dataDir, { recursive: true });
  }
});
