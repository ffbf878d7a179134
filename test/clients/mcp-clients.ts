/** Clients of MCP, and the reader of llms.txt, from PyPI. */
import { type Client, type Place, sh } from './client.ts';
import { python, pythonIn } from './openapi-clients.ts';

export const mcpClients: readonly Client[] = [
  { name: 'mcp-python', ...drivenBy(['mcp==1.30.0']) },
  { name: 'langchain-mcp', ...drivenBy(['langchain-mcp-adapters==0.3.2', 'mcp==1.30.0']) },
  { name: 'mcp-hosts', ...drivenBy(['mcp==1.30.0', 'openai-agents==0.24.0', 'google-genai==3.6.1']) },
  { name: 'llms-txt', ...drivenBy(['llms-txt==0.0.7']) },
];

function drivenBy(packages: readonly string[]): Pick<Client, 'prepare' | 'run'> {
  return {
    prepare: (place: Place) => python(place, packages),
    run: ({ folder, shared }, env) => sh(folder, pythonIn(shared), ['drive.py'], env),
  };
}
