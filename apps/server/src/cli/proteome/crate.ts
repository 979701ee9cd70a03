import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { productVersion } from '../../ground/version.js';
import { sha256OfFile } from '../../ground/digest.js';

export interface CrateFile {
  name: string;
  description: string;
  mediaType: string;
}

export interface CrateRun {
  name: string;
  /** The run was created at this time, ISO 8601. */
  created: string;
  inputs: readonly { name: string; sha256: string; description: string }[];
  /** The releases and parameters are given as texts. */
  parameters: readonly (readonly [string, string])[];
  outputs: readonly CrateFile[];
}

interface Entity {
  '@id': string;
  '@type': string | string[];
  [property: string]: unknown;
}
const ref = (id: string) => ({ '@id': id });

/**
 * Makes the manifest of a run as RO-Crate 1.1: inputs and outputs with their SHA-256, releases and
 * parameters, and the action that made the outputs from the inputs. Names of files are relative to the
 * folder.
 */
export async function roCrate(folder: string, run: CrateRun): Promise<string> {
  const outputs = await Promise.all(run.outputs.map((file) => fileEntity(folder, file)));
  const inputs: Entity[] = run.inputs.map(({ name, sha256, description }) => ({
    '@id': `#input-${encodeURIComponent(name)}`,
    '@type': 'CreativeWork',
    name,
    description,
    identifier: `sha256:${sha256}`,
  }));
  const parameters: Entity[] = run.parameters.map(([name, value]) => ({
    '@id': `#parameter-${encodeURIComponent(name)}`,
    '@type': 'PropertyValue',
    name,
    value,
  }));
  const graph: Entity[] = [
    {
      '@id': 'ro-crate-metadata.json',
      '@type': 'CreativeWork',
      about: ref('./'),
      conformsTo: ref('https://w3id.org/ro/crate/1.1'),
    },
    {
      '@id': './',
      '@type': 'Dataset',
      name: run.name,
      description:
        'Gene Ontology terms predicted for the proteins of a file by Kindred; nobody has reviewed them.',
      datePublished: run.created,
      license: ref('https://creativecommons.org/licenses/by/4.0/'),
      hasPart: outputs.map((file) => ref(file['@id'])),
      mentions: ref('#run'),
    },
    {
      '@id': 'https://creativecommons.org/licenses/by/4.0/',
      '@type': 'CreativeWork',
      name: 'CC BY 4.0, the licence of the annotations that the predictions rest on',
    },
    {
      '@id': '#run',
      '@type': 'CreateAction',
      name: run.name,
      endTime: run.created,
      instrument: ref('#kindred'),
      object: [...inputs, ...parameters].map((entity) => ref(entity['@id'])),
      result: outputs.map((file) => ref(file['@id'])),
    },
    { '@id': '#kindred', '@type': 'SoftwareApplication', name: 'Kindred', softwareVersion: productVersion },
    ...inputs,
    ...parameters,
    ...outputs,
  ];
  return `${JSON.stringify({ '@context': 'https://w3id.org/ro/crate/1.1/context', '@graph': graph }, null, 1)}\n`;
}

async function fileEntity(folder: string, { name, description, mediaType }: CrateFile): Promise<Entity> {
  const path = join(folder, name);
  return {
    '@id': name,
    '@type': 'File',
    name,
    description,
    encodingFormat: mediaType,
    contentSize: String((await stat(path)).size),
    identifier: `sha256:${await sha256OfFile(path)}`,
  };
}
