import type { PluginSettingMeta } from '@kindred/contracts';
import { z } from 'zod';

export const settings = z.strictObject({
  native_kernels: z
    .string()
    .default('on')
    .meta({
      description: 'Compiled kernels of the sequence network; by default as SVC_NATIVE_KERNELS says',
      example: 'avx2',
      aliases: { env: 'SVC_NATIVE_KERNELS', yaml: 'worker.native_kernels' },
    } satisfies PluginSettingMeta),
});
export type KindredSettings = z.output<typeof settings>;
