// The programs that plm.bench.mjs compares. Each has a process of its own, so that its memory is its own, and answers questions.
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** Starts `program` with a file of this folder, and waits until its model is open. */
export async function startProgram(program, file, args) {
  const script = fileURLToPath(new URL(file, import.meta.url));
  // Threads that wait for others must sleep, because on a busy machine they would spend processor time on nothing.
  const env = { ...process.env, OMP_WAIT_POLICY: 'passive' };
  const child = spawn(program, [script, ...args], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const read = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`${file} ended early: does ${program} have what it imports?`);
    return JSON.parse(value);
  };
  const { versions } = await read();
  return {
    versions,
    /** The largest resident size while the model was opened, in MiB. */
    opening: peakMemory(child.pid),
    /** Sends a question, and returns the answer and the largest resident size meanwhile. */
    async ask(question) {
      forgetPeak(child.pid);
      child.stdin.write(`${JSON.stringify(question)}\n`);
      return { ...(await read()), memory: peakMemory(child.pid) };
    },
    end: () => new Promise((resolve) => child.once('exit', resolve).stdin.end()),
  };
}

/** Makes Linux count the largest resident size of a process from here on. */
const forgetPeak = (pid) => writeFileSync(`/proc/${pid}/clear_refs`, '5');

const peakMemory = (pid) =>
  Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
