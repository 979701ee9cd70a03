import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Place } from './place.js';

/**
 * API and workers have this time to notice the end of their supervisor themselves and give back their work.
 */
const graceSeconds = 4;
const checkpointSeconds = 4;

/**
 * The script waits for the end of its standard input, which is a pipe from the supervisor. Then it stops the
 * server `$1` as long as the file `$2` names it. A shell runs it, because a shell needs only a megabyte.
 */
const script = `
while read -r line; do :; done
ours() { { read -r now <"$2" && [ "$now" = "$1" ]; } 2>/dev/null; }
alive() { kill -0 "$1" 2>/dev/null; }
for second in $(seq ${graceSeconds}); do alive "$1" && sleep 1; done
asked=
for tenth in $(seq ${checkpointSeconds * 10}); do
  alive "$1" || exit 0
  if [ -z "$asked" ] && ours "$1" "$2"; then kill -s INT "$1"; asked=yes; fi
  sleep 0.1
done
ours "$1" "$2" && kill -s QUIT "$1"
`;

/**
 * Stops the server soon after this process has ended, however it ended.
 * @returns a function that releases the server from that
 */
export function stopWithThisProcess({ data }: Place, server: number): () => void {
  const guard = spawn('/bin/sh', ['-c', script, 'sh', String(server), join(data, 'postmaster.pid')], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.on('error', () => {});
  guard.stdin.on('error', () => {});
  guard.unref();
  return () => guard.kill('SIGKILL');
}
