import type { SettingInputs } from './setting-row.js';

/** Every process and compute thread gets these inputs for the settings of plugins, so they are plain data. */
export interface PluginInputs extends SettingInputs {
  /** The value of SVC_DATA_DIR as an absolute path. */
  dataDir: string;
}
