import { spawn } from 'node:child_process';
import { ProblemError } from '@kindred/contracts';
import { programFile, startCommand } from '../ground/folders.js';

export interface OwnService {
  url: string;
  stop(): Promise<void>;
}

/**
 * Starts a service in a separate process on any free port, and waits until it is ready. Without
 * `environment`, the service gets that of this process. `onLog` receives what the service prints; without it,
 * the text goes to standard error.
 *
 * @throws ProblemError service_unavailable
 */
export async function startOwnService(
  environment?: NodeJS.ProcessEnv,
  onLog?: (text: string) => void,
): Promise<OwnService> {
  const child = spawn(process.execPath, [programFile, 'serve', '--port', '0'], {
    env: environment,
    stdio: ['ignore', 'ignore', onLog === undefined ? 'inherit' : 'pipe', 'ipc'],
  });
  child.stderr?.setEncoding('utf8').on('data', onLog ?? (() => {}));
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    child.once('message', (message: { ready?: string }) => message.ready && resolve(message.ready));
    child.once('exit', (code) =>
      reject(
        new ProblemError(
          'service_unavailable',
          `The service ended with code ${code} before it was ready; run "${startCommand}" to see why.`,
        ),
      ),
    );
  });
  return {
    url,
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
