import type { SettingInputs } from './setting-row.js';

/** Inputs for the settings of plugins: plain data that every process and compute thread gets. */
export interface PluginInputs extends SettingInputs {
  /** Value of SVC_DATA_DIR, absolute. */
  dataDir: string;
}
