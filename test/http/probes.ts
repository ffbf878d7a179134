/** Operations that exist for tests alone: each shows one thing that the wrapper does. */
import { z } from 'zod';
import { OutcomeUnknown, StoreUnavailable } from '../../events/event-store.ts';
import { ViewsUnavailable } from '../../projections/view-store.ts';
import { route, type Route } from '../../src/transport/route.ts';
import { defineOperation, StoredJson } from '../../src/operations/operation.ts';
import { BlobsUnavailable } from '../../src/ports/blobs.ts';
import { Contended, Overloaded } from '../../src/commanding/command-call.ts';

const label = z.string().max(80).meta({ description: 'A name.', example: 'first' });
const echoed = z.looseObject({}).meta({ description: 'The input as it was understood.', example: {} });

const readProbe = defineOperation({
  name: 'readProbe',
  summary: 'Echo what was asked for.',
  description: 'Public, with every type of query parameter.',
  tag: 'directory',
  kind: 'query',
  scope: null,
  input: z.strictObject({
    name: z
      .string()
      .regex(/^[a-z]+$/)
      .meta({ description: 'In the path.', example: 'first' }),
    limit: z.int().min(1).max(100).default(20).meta({ description: 'A number.', example: 20 }),
    ratio: z.number().optional().meta({ description: 'A fraction.', example: 0.5 }),
    deep: z.boolean().optional().meta({ description: 'A switch.', example: true }),
    tags: z
      .array(label)
      .max(3)
      .optional()
      .meta({ description: 'A list.', example: ['a', 'b'] }),
    mode: z.enum(['fast', 'slow']).optional().meta({ description: 'One of two.', example: 'fast' }),
    text: z.string().optional().meta({ description: 'Any text.', example: 'abc' }),
  }),
  output: echoed,
  refusals: [],
  cacheSeconds: 60,
  example: { input: { name: 'first', limit: 20 }, output: {} },
  run: async (input) => ({ ok: true, data: input }),
});

const storedProbe = defineOperation({
  name: 'storedProbe',
  summary: 'A stored document with a revision.',
  description: 'Its text is passed on untouched.',
  tag: 'directory',
  kind: 'query',
  scope: null,
  input: z.strictObject({}),
  output: echoed,
  refusals: [],
  example: { input: {}, output: {} },
  run: async () => ({ ok: true, data: new StoredJson('{ "stored":  true }'), revision: 'r7' }),
});

/** What writeProbe did, by label. */
export const written: {
  readonly label: string;
  readonly commandId: string;
  readonly requestHash?: string;
}[] = [];

const writeProbe = defineOperation({
  name: 'writeProbe',
  summary: 'Remember a label.',
  description: 'Needs a key; answers 201.',
  tag: 'jobs',
  kind: 'command',
  scope: 'jobs:cancel',
  input: z.strictObject({
    label,
    count: z.int().min(0).optional().meta({ description: 'A number.', example: 1 }),
    notes: z
      .strictObject({
        lines: z
          .array(z.string())
          .max(2)
          .meta({ description: 'Lines.', example: ['a'] }),
      })
      .optional()
      .meta({ description: 'Something nested.', example: { lines: ['a'] } }),
    anything: z.record(z.string(), z.unknown()).optional().meta({ description: 'Anything.', example: {} }),
  }),
  output: echoed,
  refusals: [],
  example: { input: { label: 'first' }, output: {} },
  run: async ({ label: given }, { commandId, requestHash }) => {
    const replayed = written.some((one) => one.commandId === commandId);
    if (!replayed)
      written.push({ label: given, commandId, ...(requestHash === undefined ? {} : { requestHash }) });
    return { ok: true, data: { label: given }, created: `/probes/${given}`, replayed };
  },
});

const sameAgain = defineOperation({ ...writeProbe, name: 'otherWriteProbe' });
const spendProbe = defineOperation({ ...writeProbe, name: 'spendProbe', scope: 'trials:create' });

const touchProbe = defineOperation({
  name: 'touchProbe',
  summary: 'Takes nothing but its path.',
  description: 'A command without a body.',
  tag: 'jobs',
  kind: 'command',
  scope: 'jobs:cancel',
  input: z.strictObject({ name: label }),
  output: echoed,
  refusals: [],
  example: { input: { name: 'first' }, output: {} },
  run: async (input) => ({ ok: true, data: input }),
});

const FAILURES: Readonly<Record<string, () => Error>> = {
  bug: () => new Error('the secret cause'),
  store: () => new StoreUnavailable('the log at /somewhere is away'),
  views: () => new ViewsUnavailable('the views at /somewhere are away'),
  blobs: () => new BlobsUnavailable('the bucket somewhere is away'),
  unknown: () => new OutcomeUnknown('who knows'),
  overloaded: () => new Overloaded('too many'),
  contended: () => new Contended('others'),
};

const failProbe = defineOperation({
  name: 'failProbe',
  summary: 'Throws.',
  description: 'What operations must not do.',
  tag: 'operations',
  kind: 'query',
  scope: null,
  input: z.strictObject({
    how: z
      .enum(['bug', 'store', 'views', 'blobs', 'unknown', 'overloaded', 'contended'])
      .meta({ description: 'How.', example: 'bug' }),
  }),
  output: echoed,
  refusals: [],
  example: { input: { how: 'bug' }, output: {} },
  run: ({ how }) => Promise.reject(FAILURES[how]?.()),
});

const revisedProbe = defineOperation({ ...storedProbe, name: 'revisedProbe', scope: 'jobs:read' });
const plainProbe = defineOperation({
  ...storedProbe,
  name: 'plainProbe',
  scope: 'jobs:read',
  run: async () => ({ ok: true, data: {} }),
});

interface Deferred<Value> {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
}

function deferred<Value>(): Deferred<Value> {
  let resolve: (value: Value) => void = () => undefined;
  const promise = new Promise<Value>((settle) => (resolve = settle));
  return { promise, resolve };
}

/** The slow probe says that it has started, and ends when the test says so or when the caller has gone. */
export const slow = { started: deferred<undefined>(), finish: deferred<string>() };

export function resetSlow(): void {
  slow.started = deferred();
  slow.finish = deferred();
}

const slowProbe = defineOperation({
  ...storedProbe,
  name: 'slowProbe',
  run: async (_input, { signal }) => {
    signal.addEventListener('abort', () => slow.finish.resolve('the caller has gone'));
    slow.started.resolve(undefined);
    return { ok: true, data: { ended: await slow.finish.promise } };
  },
});

export const probes: readonly Route[] = [
  route('GET', '/v1/probes/stored', storedProbe),
  route('GET', '/v1/probes/slow', slowProbe),
  route('GET', '/v1/probes/{name}', readProbe, { fastPath: true }),
  route('GET', '/v1/cold-probes/{name}', defineOperation({ ...readProbe, name: 'coldProbe' })),
  route('POST', '/v1/probes', writeProbe, { creates: true, maxBodyKib: 256 }),
  route('POST', '/v1/other-probes', sameAgain, { creates: true, maxBodyKib: 256 }),
  route('POST', '/v1/spend-probes', spendProbe, { creates: true, maxBodyKib: 256 }),
  route('POST', '/v1/probes/{name}/touch', touchProbe, { maxBodyKib: 256 }),
  route('GET', '/v1/failures/{how}', failProbe),
  route('GET', '/v1/revised-probe', revisedProbe),
  route('GET', '/v1/plain-probe', plainProbe),
];
