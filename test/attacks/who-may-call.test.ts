/**
 * Every tool over MCP, whoever asks: each cell has its one right answer, worked out from the list of tools, so that a
 * tool cannot be added without it. REST has its own table in who-may.test.ts.
 */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type Scope, SCOPES } from '../../src/operations/operation.ts';
import { tools } from '../../src/mcp/tools.ts';
import type { Tool } from '../../src/mcp/tool.ts';
import { rpc, type Wire } from '../mcp/mcp-fixture.ts';
import { ABOUT_KEYS, type Askers, startAskers } from './askers.ts';

/** What one tool said: the status of the message, and the code of the refusal, if it is one. */
interface Said {
  readonly status: number;
  readonly code: string | null;
  readonly text: string;
}

/** Arguments by which something of one account alone is named. */
const OWNED = /^(?!id$).*(?:Id|Ids)$/;

describe('Who may call what', function () {
  this.timeout(240_000);
  let askers: Askers;
  /** By the names of arguments: what is the buyer's. */
  let real: Readonly<Record<string, string>>;
  before(async () => {
    askers = await startAskers();
    real = { jobId: await askers.api.jobIn('running'), keyId: askers.api.buyer.keyId };
  });
  after(() => askers.api.close());

  /** The example of the operation, sent to the tool; what is named replaces its own. */
  async function call(
    tool: Tool,
    key: string | undefined,
    named: Readonly<Record<string, string>> = {},
  ): Promise<Said> {
    // The examples of operations are objects.
    const example = tool.operation.example.input as Readonly<Record<string, unknown>>;
    const given = { ...example, ...named, idempotencyKey: randomUUID() };
    const args = Object.fromEntries(Object.entries(given).filter(([name]) => tool.fields.includes(name)));
    const { status, body, text } = await rpc(
      `${askers.api.url}/mcp`,
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool.name, arguments: args } },
      key === undefined ? {} : { Authorization: `Bearer ${key}` },
    );
    return { status, code: codeOf(body), text };
  }

  const given = (names: readonly string[]): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(real).filter(([name]) => names.includes(name)));

  for (const tool of tools) {
    const { scope, orScope, makesTrial, metered } = tool.operation;
    describe(tool.name, () => {
      it(scope === null ? 'needs no key' : 'tells that it needs a key, and goes on', async () => {
        const { status, code } = await call(tool, undefined);
        expect(status).to.equal(200);
        if (scope === null) expect(ABOUT_KEYS).not.to.include(code);
        else expect(code).to.equal('api_key_missing');
      });

      it('refuses a key that is wrong, revoked, expired or rotated', async () => {
        for (const [how, key] of Object.entries(askers.dead)) {
          const { status, code } = await call(tool, key);
          expect([status, code], how).to.deep.equal([401, 'api_key_invalid']);
        }
      });

      it('refuses a frozen key, and a key of a frozen account', async () => {
        for (const [what, key] of Object.entries(askers.frozen)) {
          const { status, code, text } = await call(tool, key);
          expect([status, code], what).to.deep.equal([403, 'forbidden']);
          expect(text, what).to.include('frozen');
        }
      });

      it(
        makesTrial ? 'spends nothing by a suspended mandate' : 'goes on while spending is suspended',
        async () => {
          const { code, text } = await call(tool, askers.suspended.key);
          expect(code === 'mandate_denied').to.equal(makesTrial === true);
          if (makesTrial) expect(text).to.include('mandate_suspended');
          else expect(ABOUT_KEYS).not.to.include(code);
        },
      );

      if (scope !== null)
        it('opens to its scope alone', async () => {
          const opened: Scope[] = [];
          for (const [one, { key }] of askers.alone)
            if ((await call(tool, key)).code !== 'scope_missing') opened.push(one);
          const wanted =
            scope === 'any_key' ? SCOPES : SCOPES.filter((one) => one === scope || one === orScope);
          expect(opened).to.deep.equal(wanted);
        });

      it('shows and does nothing of another account', async () => {
        const names = tool.fields.filter((name) => OWNED.test(name));
        expect(
          names.filter((name) => !(name in real)),
          'say above what is real of these',
        ).to.deep.equal([]);
        const { code, text } = await call(tool, askers.stranger.key, given(names));
        // What the Data API has belongs to nobody: a plan opens it.
        if (metered !== undefined) expect(code).to.equal('plan_required');
        else if (names.some((name) => isRequired(tool, name))) expect(code).to.equal('not_found');
        else expect(ABOUT_KEYS).not.to.include(code);
        const { accountId, keyId } = askers.api.buyer;
        for (const id of [accountId, keyId, real['jobId'] ?? ''].filter(
          (one) => !Object.values(given(names)).includes(one),
        ))
          expect(text).not.to.include(id);
        if (code === null) expect(text).not.to.include(real['jobId']);
      });

      if (metered !== undefined)
        it('opens to an account with a plan', async () => {
          const { status, code } = await call(tool, askers.customer.key);
          expect([null, 'not_found']).to.include(code);
          expect(status).to.equal(200);
        });
    });
  }
});

/** What narrows a list finds nothing where it is another's; what a tool demands is not there. */
function isRequired(tool: Tool, name: string): boolean {
  return tool.listed.inputSchema.required?.includes(name) === true;
}

/** Of a result with `isError` the code that its text begins with, of an error that of its data; null of what is none. */
function codeOf({ result, error }: Wire): string | null {
  if (error !== undefined) return JSON.stringify(error.data).match(/"code":"(\w+)"/)?.[1] ?? 'unknown';
  if (result?.['isError'] !== true) return null;
  return JSON.stringify(result['content']).match(/"text":"(\w+):/)?.[1] ?? 'unknown';
}
