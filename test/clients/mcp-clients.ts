/** Clients of MCP from PyPI. */
import { type Client, sh } from './client.ts';
import { python, pythonIn } from './openapi-clients.ts';

export const mcpClients: readonly Client[] = [
  {
    name: 'mcp-hosts',
    prepare: (place) => python(place, ['mcp==1.30.0', 'openai-agents==0.24.0', 'google-genai==3.6.1']),
    run: ({ folder, shared }, env) => sh(folder, pythonIn(shared), ['drive.py'], env),
  },
];
