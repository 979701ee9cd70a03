import type { BackendPlugin } from '@kindred/contracts';
import { z } from 'zod';

export const plugin: BackendPlugin = {
  kind: 'backend',
  name: 'kmer',
  version: '0.1.0',
  description: 'Embeddings without weights or downloads: gapped k-mer spectra in substitution space',
  citations: ['Henikoff1992', 'UniProt2023', 'Leslie2002', 'Leslie2004', 'Wold1993', 'Perronnin2010'],
  parameters: z.strictObject({}),
  load: async () => (await import('./backend.js')).backend,
};
