import { workerData } from 'node:worker_threads';
import { createPluginRegistry } from '../../ground/plugins/discover.js';
import type { ThreadData } from '../../ground/pool/thread-messages.js';

const data = workerData as ThreadData | null;

/** The plugins as tasks use them: found again at each call, loaded once for each thread. */
export const threadPlugins = createPluginRegistry({ inputs: data?.plugins, folders: data?.pluginFolders });
