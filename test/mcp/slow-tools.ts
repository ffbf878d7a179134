/** Tools that take their time, behind the real endpoint: for tests of what happens meanwhile. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { createMemoryLimiter } from '../../infra/memory/limiter.ts';
import type { HttpContext } from '../../src/transport/exchange.ts';
import { createAccountLimits } from '../../src/calling/account-limits.ts';
import { createAddressLimits } from '../../src/calling/address-limits.ts';
import { createUnreadAnswers } from '../../src/transport/unread-answers.ts';
import { createLog } from '../../src/logging/log.ts';
import { mcpEndpoints } from '../../src/mcp/endpoints.ts';
import { tool, type Tool } from '../../src/mcp/tool.ts';
import { defineOperation } from '../../src/operations/operation.ts';
import type { Services } from '../../src/operations/services.ts';
import { listenAnywhere } from '../support/ports.ts';

const input = z.strictObject({ n: z.int().meta({ description: 'Given back.', example: 1 }) });
const output = z.strictObject({
  n: z.int().meta({ description: 'What came.', example: 1 }),
  accountId: z.string().meta({ description: 'Whose key it was.', example: 'acc_1' }),
});
const text = { title: 'Slow', description: 'Takes its time.' };

/** Answers after a while, the later the smaller `n` is, so that answers overtake each other. */
export const slowTool = tool(
  defineOperation({
    name: 'slow',
    summary: 'Slow.',
    description: 'Slow.',
    tag: 'operations',
    kind: 'query',
    scope: 'jobs:read',
    input,
    output,
    refusals: [],
    example: { input: { n: 1 }, output: { n: 1, accountId: 'acc_1' } },
    async run({ n }, { caller }) {
      await pause(60 - (n % 50));
      return { ok: true, data: { n, accountId: caller.accountId } };
    },
  }),
  { ...text, name: 'slow' },
);

/** Answers at once whoever holds one of two scopes. */
export const eitherTool = tool(
  defineOperation({
    name: 'either',
    summary: 'Either.',
    description: 'Either.',
    tag: 'operations',
    kind: 'query',
    scope: 'audit:read',
    orScope: 'mandate:read',
    input,
    output,
    refusals: [],
    example: { input: { n: 1 }, output: { n: 1, accountId: 'acc_1' } },
    run: ({ n }, { caller }) => Promise.resolve({ ok: true, data: { n, accountId: caller.accountId } }),
  }),
  { ...text, name: 'either' },
);

export interface EndlessWork {
  readonly tool: Tool;
  readonly begun: Promise<void>;
  /** Resolves once the work has ended because nobody waits for it any more. */
  readonly ended: Promise<void>;
}

export function endlessWork(): EndlessWork {
  const begun = deferred();
  const ended = deferred();
  const operation = defineOperation({
    name: 'endless',
    summary: 'Endless.',
    description: 'Endless.',
    tag: 'operations',
    kind: 'query',
    scope: null,
    input,
    output,
    refusals: [],
    example: { input: { n: 1 }, output: { n: 1, accountId: 'acc_1' } },
    async run({ n }, { signal }) {
      begun.resolve();
      if (!signal.aborted) await once(signal, 'abort');
      ended.resolve();
      return { ok: true, data: { n, accountId: '' } };
    },
  });
  return { tool: tool(operation, { ...text, name: 'endless' }), begun: begun.promise, ended: ended.promise };
}

export async function serveTools(
  services: Services,
  tools: readonly Tool[],
): Promise<{ readonly url: string; readonly close: () => void }> {
  const context: HttpContext = {
    services,
    trustProxyHops: 0,
    accountLimits: createAccountLimits({
      requestsPerMinute: 1_000_000,
      trialsPerDay: 1_000_000,
      bytesPerDay: 1_000_000_000,
    }),
    addressLimits: createAddressLimits(createMemoryLimiter(60), {
      reads: 1_000_000,
      failedCredentials: 1_000_000,
      posts: 1_000_000,
    }),
    unread: createUnreadAnswers(),
    transportHeaders: [],
    isMonitor: () => false,
    log: createLog('silent'),
    now: Date.now,
    isStopping: () => false,
  };
  const [endpoint] = mcpEndpoints(context, tools);
  const server = createServer((req, res) => endpoint?.handle(req, res, {}));
  return {
    url: `http://127.0.0.1:${await listenAnywhere(server)}/mcp`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
