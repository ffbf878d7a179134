/** What MCP is measured against. Arguments: sdk|hand, port, and the answer of ours, whose document both give. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';
import { getVerification } from '../../src/operations/directory/get-verification.ts';

const [kind, port, answer = ''] = process.argv.slice(2);
const document: Record<string, unknown> = JSON.parse(answer).result.structuredContent;

createServer((req, res) => void (kind === 'sdk' ? bySdk(req, res) : byHand(req, res))).listen(
  Number(port),
  () => process.send?.('ready'),
);

/** As the SDK's examples have it: a new server and a new transport for each request. */
async function bySdk(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const server = new McpServer({ name: 'peer', version: '1.0.0' });
  server.registerTool(
    'get_agent_evidence',
    {
      description: 'The evidence.',
      inputSchema: z.strictObject({ slug: z.string() }),
      outputSchema: getVerification.output,
    },
    () => ({ content: [{ type: 'text', text: JSON.stringify(document) }], structuredContent: document }),
  );
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
  res.on('close', () => void server.close());
  // The SDK's own class does not satisfy its own interface under exactOptionalPropertyTypes.
  await server.connect(transport as unknown as Parameters<typeof server.connect>[0]);
  await transport.handleRequest(req, res);
}

async function byHand(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk);
  const { id } = JSON.parse(Buffer.concat(chunks).toString());
  const text = JSON.stringify(document);
  const result = { content: [{ type: 'text', text }], structuredContent: document };
  const body = JSON.stringify({ jsonrpc: '2.0', id, result });
  res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
  res.end(body);
}
