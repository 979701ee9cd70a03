import { workerData } from 'node:worker_threads';
import { createPluginRegistry } from '../../ground/plugins/discover.js';
import type { ThreadData } from '../../ground/pool/thread-messages.js';

const data = workerData as ThreadData | null;

/** Tasks find the plugins again at each call, but each thread loads a plugin once. */
export const threadPlugins = createPluginRegistry({ inputs: data?.plugins, folders: data?.pluginFolders });
