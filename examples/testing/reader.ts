import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@kindred/testkit';
import { expect } from 'vitest';
import type { RunningExample } from './service.js';

const root = repositoryRoot();

/** Runs lines of the documentation as a reader does, in a folder with the examples, against a service of its own. */
export class Reader {
  readonly folder: string;
  constructor(private readonly service: RunningExample) {
    this.folder = join(service.folder, 'reader');
    mkdirSync(this.folder);
    for (const name of ['examples', 'kindred']) symlinkSync(join(root, name), join(this.folder, name));
  }
  run(lines: string): Promise<string> {
    const script = lines.replaceAll('http://127.0.0.1:8000', this.service.access[1]);
    const env = { PATH: process.env.PATH, SVC_DATA_DIR: join(this.service.folder, 'data') };
    return new Promise((resolve, reject) => {
      const options = { cwd: this.folder, env, maxBuffer: 1 << 26 };
      execFile('sh', ['-ec', script], options, (error, stdout, stderr) =>
        error === null ? resolve(stdout) : reject(new Error(`${script}\n${stdout}${stderr}`)),
      );
    });
  }
  read = (name: string) => readFileSync(join(this.folder, name), 'utf8');
  write = (name: string, bytes: string | Buffer) => writeFileSync(join(this.folder, name), bytes);
  /** Fetches JSON without an account, as the documentation does. */
  async get(path: string): Promise<Response> {
    const reply = await fetch(`${this.service.access[1]}${path}`);
    expect(reply.status, path).toBe(200);
    return reply;
  }
}
