/** Messages of JSON-RPC that tests send as they are, or with something changed. */

export const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

export const CALL = {
  jsonrpc: '2.0',
  id: 'call',
  method: 'tools/call',
  params: { name: 'search_agents', arguments: { limit: 1 } },
};

export const HELLO = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
};
