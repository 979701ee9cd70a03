import { composeArtifacts } from '../../run/compose.js';
import { within } from '../../work/broker/within.js';
import { sha256OfChunks } from '../../ground/digest.js';
import type { Settings } from '../../run/env.js';
import { createPluginRegistry } from '../../ground/plugins/discover.js';
import type { PluginRegistry } from '../../ground/plugins/registry.js';
import {
  type EmbeddingConfigRow,
  listEmbeddingConfigs,
} from '../../store/embeddings/embedding-configs.repository.js';
import { listRerankers } from '../../store/evaluation/rerankers.repository.js';
import type { Database } from '../../store/postgres/db.js';
import { importedBackend } from '@kindred/contracts/resources/embedding-configs';
import { type Finding, fault, ok, warning } from './finding.js';

/** The check looks at this many of each kind, the newest ones. */
const looked = 50;
const answerLimitMs = 10_000;

/**
 * Checks the models that rows of the database name: the files of the re-rankers must exist unchanged, and
 * this machine must be able to embed.
 */
export async function checkRegisteredModels(settings: Settings, db: Database): Promise<Finding[]> {
  return [...(await checkRerankers(settings, db)), ...(await checkConfigurations(settings, db))];
}

async function checkRerankers(settings: Settings, db: Database): Promise<Finding[]> {
  const artifacts = composeArtifacts(settings);
  const { rows } = await listRerankers(db, looked);
  const findings: Finding[] = [];
  for (const { id, name, artifact_uri: uri, model_sha256: sha256 } of rows) {
    if (uri === null) continue;
    const wrong = await sha256OfChunks(artifacts.get(uri)).then(
      (found) =>
        found === sha256
          ? null
          : `the file ${artifacts.addressOf(uri)} is not the one that was registered (its sha256 is ${found})`,
      (error: Error) => error.message,
    );
    if (wrong !== null)
      findings.push(
        fault(
          'models',
          `re-ranker ${JSON.stringify(name)}: ${wrong}`,
          `Put the file back, or delete the re-ranker (DELETE /v1/reranker-models/${id}) and import it again.`,
        ),
      );
  }
  if (findings.length > 0 || rows.length === 0) return findings;
  return [ok('models', `${rows.length} re-rankers; their files are those that were registered`)];
}

async function checkConfigurations(settings: Settings, db: Database): Promise<Finding[]> {
  const { rows } = await listEmbeddingConfigs(db, looked);
  const plugins = createPluginRegistry({ inputs: settings.plugins });
  const findings: Finding[] = [];
  const computed = rows.filter(({ model_backend: backend }) => backend !== importedBackend);
  for (const config of computed) {
    const wrong = await within(answerLimitMs, refusalOf(plugins, config)).catch(
      (error: Error) => error.message,
    );
    if (wrong !== null)
      findings.push(
        warning(
          'models',
          `embedding configuration ${config.id} (${config.model_name}) cannot be computed on this machine: ${wrong}`,
          'Install the model on every worker (kindred models list), or ignore it where no worker runs.',
        ),
      );
  }
  if (findings.length > 0 || computed.length === 0) return findings;
  return [ok('models', `this machine can compute all ${computed.length} embedding configurations`)];
}

/** Says why the backend would not open the recipe; null if it would. */
async function refusalOf(plugins: PluginRegistry, config: EmbeddingConfigRow): Promise<string | null> {
  const backend = await plugins.backend(config.model_backend);
  if (backend.inspect !== undefined) {
    await backend.inspect(config);
    return null;
  }
  const models = await backend.models();
  if (models.some(({ model_name: name }) => name === config.model_name)) return null;
  return `the backend ${config.model_backend} has no such model`;
}
