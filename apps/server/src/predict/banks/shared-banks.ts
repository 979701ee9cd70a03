import type { EventLevel } from '@kindred/contracts';
import { z } from 'zod';
import type { ArtifactStore } from '../../ground/artifacts/artifact-store.js';
import { packFolder, unpackFolder } from './bank-archive.js';

const banksKept = 2;
const keyList = z.array(z.string().regex(/^[0-9a-f]{32}$/)).max(1000);

type Emit = (event: string, fields?: Record<string, unknown>, level?: EventLevel) => Promise<void>;

/** A local folder is not shared, because every bank would only be stored twice. */
export function isShared(artifacts: ArtifactStore): boolean {
  return artifacts.backend === 's3';
}

/**
 * Keeps the banks of one (embedding configuration, annotation set) in a store that machines share: one tar
 * archive for each key, and a list of them, newest first. Adding a bank deletes all older banks but one. A
 * failure is only reported, because every machine can build its own bank.
 */
export class SharedBanks {
  readonly #prefix: string;

  readonly #artifacts: ArtifactStore;
  readonly #emit: Emit;

  constructor(
    artifacts: ArtifactStore,
    subject: { config: { id: string }; set: { id: string } },
    emit: Emit = async () => {},
  ) {
    this.#artifacts = artifacts;
    this.#emit = emit;
    this.#prefix = `banks/${subject.config.id}/${subject.set.id}`;
  }

  /** Copies the bank into `folder`; false if the store has no readable copy. */
  async fetch(key: string, folder: string): Promise<boolean> {
    const uri = this.#artifacts.uriOf(`${this.#prefix}/${key}.tar`);
    try {
      const sizeBytes = await this.#artifacts.size(uri);
      if (sizeBytes === null) return false;
      await unpackFolder(this.#artifacts.get(uri), folder);
      await this.#emit('reference_bank.fetched', { uri, size_bytes: sizeBytes });
      return true;
    } catch (error) {
      await this.#report('reference_bank.not_fetched', uri, error);
      return false;
    }
  }

  async put(key: string, folder: string): Promise<void> {
    const uri = this.#artifacts.uriOf(`${this.#prefix}/${key}.tar`);
    try {
      const { sizeBytes } = await this.#artifacts.put(`${this.#prefix}/${key}.tar`, packFolder(folder));
      const keys = [key, ...(await this.#keys()).filter((other) => other !== key)];
      for (const old of keys.slice(banksKept))
        await this.#artifacts.delete(this.#artifacts.uriOf(`${this.#prefix}/${old}.tar`));
      await this.#writeKeys(keys.slice(0, banksKept));
      await this.#emit('reference_bank.shared', { uri, size_bytes: sizeBytes });
    } catch (error) {
      await this.#report('reference_bank.not_shared', uri, error);
    }
  }

  async #keys(): Promise<string[]> {
    const uri = this.#artifacts.uriOf(`${this.#prefix}/banks.json`);
    if ((await this.#artifacts.size(uri)) === null) return [];
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.#artifacts.get(uri)) chunks.push(chunk);
    return keyList.parse(JSON.parse(Buffer.concat(chunks).toString('utf8')));
  }

  async #writeKeys(keys: string[]): Promise<void> {
    await this.#artifacts.put(`${this.#prefix}/banks.json`, Buffer.from(JSON.stringify(keys)));
  }

  async #report(event: string, uri: string, error: unknown): Promise<void> {
    await this.#emit(event, { uri, reason: (error as Error).message }, 'warning');
  }
}
