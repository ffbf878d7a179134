/** The endpoints of MCP, for the HTTP server to mount. */
import type { Endpoint } from '../transport/endpoint.ts';
import type { HttpContext } from '../transport/exchange.ts';
import { createMcpHandler, MCP_PATH } from './streamable-http.ts';
import { createMcp } from './methods.ts';
import type { Tool } from './tool.ts';
import { tools as allTools } from './tools.ts';

export function mcpEndpoints(context: HttpContext, tools: readonly Tool[] = allTools): Endpoint[] {
  const mcp = createMcp(context.services, context.log, tools);
  const handle = createMcpHandler(mcp, context);
  // People type the address with a slash at its end, and a client cannot follow a redirect of a POST.
  return [MCP_PATH, `${MCP_PATH}/`].map((path) => ({ path, fastPath: true, handle }));
}
