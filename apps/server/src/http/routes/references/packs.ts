import { referenceRoutes } from '@kindred/contracts/resources/references';
import { requireCompleteReference, requirePack } from '../../../resources/references.js';
import type { Api, RouteDeps } from '../../deps.js';
import { sendFile } from '../../send-file.js';
import { serve } from '../../serve.js';
import { queueShortcut } from '../../submit.js';
import { presentMark } from './present.js';

export function serveReferencePacks(api: Api, deps: RouteDeps): void {
  const { db, artifacts } = deps;
  serve(api, referenceRoutes.pack, async (request, reply) => {
    const { id } = await requireCompleteReference(db, request.params.reference);
    return queueShortcut(deps, request, reply, {
      operation: 'pack_reference',
      payload: { reference_id: id },
    });
  });
  serve(api, referenceRoutes.packed, async (request) => {
    const { reference, pack } = await requirePack(db, request.params.reference);
    const { sha256, size_bytes, created_at } = pack;
    return { reference: presentMark(reference), sha256, size_bytes, created_at };
  });
  serve(api, referenceRoutes.download, async (request, reply) => {
    const { reference, pack } = await requirePack(db, request.params.reference);
    return sendFile(reply, artifacts, pack.uri, {
      contentType: 'application/x-tar',
      filename: `${reference.name}-${reference.version}.kindred`,
    });
  });
  serve(api, referenceRoutes.install, (request, reply) =>
    queueShortcut(deps, request, reply, { operation: 'install_reference', payload: request.body }),
  );
}
