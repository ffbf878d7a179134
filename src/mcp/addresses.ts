/** The addresses of MCP, for the HTTP server to mount. */
import { type Address, createAddress } from '../http/address.ts';
import type { Edge } from '../http/exchange.ts';
import { createMcpHandler, MCP_PATH } from './http-door.ts';
import { createMcp } from './methods.ts';
import { createMetadataHandler, METADATA_PATHS } from './resource-metadata.ts';
import type { Tool } from './tool.ts';
import { tools as allTools } from './tools.ts';

export function mcpAddresses(edge: Edge, tools: readonly Tool[] = allTools): Address[] {
  const mcp = createMcp(edge.services, edge.log, tools);
  return [
    { path: MCP_PATH, hot: true, handle: createMcpHandler(mcp, edge) },
    ...METADATA_PATHS.map((path) =>
      createAddress(edge, path, { GET: createMetadataHandler(edge, path, tools) }, { crossOrigin: true }),
    ),
  ];
}
