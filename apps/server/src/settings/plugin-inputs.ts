import type { SettingInputs } from './setting-row.js';

/** What plugins may be set up with: plain data that every process and compute thread gets. */
export interface PluginInputs extends SettingInputs {
  /** SVC_DATA_DIR, absolute. */
  dataDir: string;
}
