import { readFile } from 'node:fs/promises';

/**
 * Returns true while a process with this id exists, whoever its user is (on Linux a zombie counts as gone).
 */
export async function isAlive(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return process.platform !== 'linux' || (await statOf(pid))?.state !== 'Z';
}

/**
 * Gives the start time of a process as the kernel prints it; null if unknown. Id and start time together
 * identify one process for good.
 */
export async function startOfProcess(pid: number): Promise<string | null> {
  return (await statOf(pid))?.start ?? null;
}

export async function isSameProcess(pid: number, start: string | null): Promise<boolean> {
  if (!(await isAlive(pid))) return false;
  return start === null || (await startOfProcess(pid)) === start;
}

async function statOf(pid: number): Promise<{ state: string; start: string } | null> {
  const [text, boot] = await Promise.all(
    [`/proc/${pid}/stat`, '/proc/sys/kernel/random/boot_id'].map((path) =>
      readFile(path, 'utf8').catch(() => null),
    ),
  );
  if (text === null) return null;
  // The name in parentheses may contain any character; the state is the 3rd field and the start time the
  // 22nd.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0], start: `${boot?.trim()}/${fields[19]}` };
}
