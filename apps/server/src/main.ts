import { ProblemError } from '@kindred/contracts/problems';
import { calledCommand, commandLine } from './cli/program.js';
import { exemptLoopback } from './cli/proxy-exemption.js';
import { refuseInOneLine, usageFault } from './cli/usage-faults.js';
import { whyUnreadable, whyUnwritable } from './ground/sources/file-fault.js';

/** Exit codes differ by cause, so that scripts can distinguish them. */
const exitCodes: Record<string, number> = {
  'service-unavailable': 69,
  'internal-server-error': 70,
  conflict: 75,
  unauthorized: 77,
  forbidden: 77,
};

/**
 * ONNX Runtime reports sessions and models to its maker unless this is set before it is loaded, in any
 * thread.
 */
process.env.ORT_DISABLE_TELEMETRY = '1';
exemptLoopback(process.env);

/** These commands write into the data folder, which is private. Other commands write files of the user. */
const writeData = ['start', 'serve', 'http', 'worker', 'restore', 'upgrade'];

async function main(): Promise<void> {
  const words = process.argv.slice(2);
  const called = calledCommand(words);
  if (called !== undefined && writeData.includes(called)) process.umask(0o077);
  const program = await commandLine((name) => name === called);
  const ours = words[0] === '--version' || program.commands.some((command) => command.name() === called);
  if (!ours) await (await import('./cli/plugin-commands.js')).addPluginCommands(program);
  refuseInOneLine(program);
  await program.parseAsync();
}

// The reader of a pipe may close it early (head), which is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
// A closed terminal must not prevent a clean shutdown.
process.stderr.on('error', () => {});

function faultWords(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { path, syscall } = error as NodeJS.ErrnoException;
  // The file system failed, and no caller has put the fault into words yet.
  if (path === undefined || syscall === undefined) return error.message;
  const writes = ['mkdir', 'rename', 'write', 'unlink', 'rmdir'].includes(syscall);
  return `${path} cannot be ${writes ? 'written' : 'read'}: ${(writes ? whyUnwritable : whyUnreadable)(error)}.`;
}

main().catch((error: unknown) => {
  const problem = error instanceof ProblemError ? error : null;
  const text = faultWords(error);
  process.stderr.write(`kindred: ${text}\n`);
  if (problem === null && process.env.SVC_LOG_LEVEL === 'debug')
    process.stderr.write(`${(error as Error).stack}\n`);
  // The process exits at once: a connection that a failed start leaves open must not keep it alive.
  process.exit(problem === null ? 1 : (exitCodes[problem.slug] ?? usageFault));
});
