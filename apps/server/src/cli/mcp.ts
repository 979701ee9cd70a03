import { Command } from 'commander';
import { serviceClient } from './api-client.js';
import { withService } from './with-service.js';

export function mcpCommand(): Command {
  return new Command('mcp')
    .description('Serve assistants by the Model Context Protocol on standard input and output')
    .option('--url <address>', 'service to use (default: the one on this machine, started if need be)')
    .option('--api-key <key>', 'credential of that service (or SVC_API_KEY)')
    .action(async (options: { url?: string; apiKey?: string }) =>
      withService(options, async (service) => {
        // Only this command needs the protocol's package.
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
