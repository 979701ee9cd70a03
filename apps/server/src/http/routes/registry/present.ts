import type { Plugin } from '@kindred/contracts';
import type { pluginReply } from '@kindred/contracts/resources/registry';
import { z } from 'zod';
import type { PluginListing } from '../../../ground/plugins/registry.js';

export function presentPlugin(listing: PluginListing<Plugin>): z.infer<typeof pluginReply> {
  if (listing.state === 'unavailable') {
    return {
      name: listing.name,
      package: listing.packageName,
      state: 'unavailable',
      reason: listing.reason,
      version: null,
      description: null,
      citations: [],
      parameters: null,
    };
  }
  const { name, version, description, citations, parameters } = listing.plugin;
  const { $schema: _dialect, ...schema } = z.toJSONSchema(parameters, {
    io: 'input',
    unrepresentable: 'any',
  });
  return {
    name,
    package: listing.packageName,
    state: 'available',
    reason: null,
    version,
    description,
    citations,
    parameters: schema as Record<string, unknown>,
  };
}
