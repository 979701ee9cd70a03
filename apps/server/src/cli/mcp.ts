import { Command } from 'commander';
import { serviceClient } from './api-client.js';
import { addServiceOptions, type ServiceOptions, withService } from './with-service.js';

export function mcpCommand(): Command {
  return addServiceOptions(new Command('mcp')).action(async (options: ServiceOptions) =>
    withService(options, async (service) => {
      // The protocol's package is loaded here because only this command needs it.
      const { mcpServer, StdioServerTransport } = await import('./mcp-server.js');
      const server = mcpServer(serviceClient(service), { saved: service.apiKey !== null });
      const closed = new Promise<void>((resolve) => {
        server.server.onclose = resolve;
        process.stdin.once('end', resolve);
      });
      await server.connect(new StdioServerTransport());
      await closed;
      await server.close();
    }),
  );
}
