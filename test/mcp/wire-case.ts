/** A message as it stands on the wire, and what must come of it. */
import { JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect } from 'chai';
import type { McpApi } from './mcp-fixture.ts';

export interface WireCase {
  readonly what: string;
  readonly body: unknown;
  readonly headers?: Record<string, string>;
  readonly status: number;
  /** The code of the error; none for a result. */
  readonly code?: number;
  readonly id?: string | number | null;
}

/** Declares the test of a case. */
export function checksOf(api: () => McpApi): (wire: WireCase) => void {
  return ({ what, body, headers, status, code, id }) => {
    it(`${what}: ${status}${code === undefined ? '' : `, ${code}`}`, async () => {
      const answer = await api().rpc(body, headers);
      expect(answer.status, answer.text).to.equal(status);
      expect(answer.headers.get('Cache-Control')).to.equal('no-store');
      expect(answer.headers.get('X-Request-Id')).to.be.a('string');
      if (code !== undefined) expect(answer.body.error, answer.text).to.include({ code });
      else expect(answer.body, answer.text).to.have.property('result');
      if (id !== undefined) expect(answer.body.id).to.equal(id);
      if (answer.body.id !== null) JSONRPCMessageSchema.parse(answer.body);
    });
  };
}
