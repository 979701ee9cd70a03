import type { PluginFinding } from '@kindred/contracts';
import type { Settings } from '../../run/env.js';

export interface Finding extends PluginFinding {
  about: string;
}

export type Check = (settings: Settings) => Promise<Finding[]>;

export const ok = (about: string, text: string): Finding => ({ about, state: 'ok', text });
export const warning = (about: string, text: string, advice?: string): Finding => ({
  about,
  state: 'warning',
  text,
  advice,
});
export const fault = (about: string, text: string, advice: string): Finding => ({
  about,
  state: 'fault',
  text,
  advice,
});

export const gibibytes = (bytes: number) => (bytes / 1024 ** 3).toFixed(1);
