import type { SettingInputs } from './setting-row.js';

/** Every process and compute thread gets these inputs for the settings of plugins, so they are plain data. */
export interface PluginInputs extends SettingInputs {
  /** SVC_DATA_DIR names this folder; the path is absolute. */
  dataDir: string;
}
