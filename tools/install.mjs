// Installs the pinned packages when they are missing or older than the lock file.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';

export function installDependencies(root) {
  const installed = join(root, 'node_modules', '.package-lock.json');
  const lock = join(root, 'package-lock.json');
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return;
  process.stderr.write('Installing packages (once) ...\n');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  // onnxruntime's installer would download GPU libraries; the CPU library is in its package.
  const env = { ...process.env, ONNXRUNTIME_NODE_INSTALL: 'skip' };
  const done = spawnSync(npm, ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    env,
  });
  if (done.status === 0) return;
  process.stderr.write(
    'npm ci failed; the lines above say why. Check the network connection to the npm registry and try again.\n',
  );
  process.exit(1);
}
