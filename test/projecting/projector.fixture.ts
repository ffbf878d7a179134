/** A small world for projector tests: boxes that are opened, filled and closed, and what their owners have in all. */
import { expect } from 'chai';
import { z } from 'zod';
import type { RecordedEvent } from '../../events/event.ts';
import type { EventStore } from '../../events/event-store.ts';
import { creates, defineProjection, on } from '../../projections/projection.ts';
import type { ViewStore } from '../../projections/view-store.ts';
import { createProjector, type Projector } from '../../src/projecting/projector.ts';
import type { SubscriptionGroup, GenerationCursor } from '../../src/projecting/subscription-group.ts';
import type { ProjectorParts, ProjectorError } from '../../src/projecting/projector-parts.ts';

export type BoxFact =
  | { readonly type: 'BoxOpened'; readonly data: { readonly box: string; readonly owner: string } }
  | {
      readonly type: 'BoxFilled';
      readonly data: { readonly box: string; readonly owner: string; readonly amount: number };
    }
  | { readonly type: 'BoxesMerged'; readonly data: { readonly from: string; readonly into: string } }
  | { readonly type: 'BoxClosed'; readonly data: { readonly box: string } }
  /** Taken by no view. */
  | { readonly type: 'WindBlew'; readonly data: object };
export type BoxEvent = BoxFact extends infer F ? (F extends BoxFact ? RecordedEvent<F> : never) : never;

const boxSchema = z.object({ box: z.string(), owner: z.string(), total: z.number(), fills: z.number() });
type Box = z.infer<typeof boxSchema>;

/** The poison of these tests: an amount that cannot be decoded, one that cannot be added, a total without an index. */
export const UNDECODABLE = -666;
export const UNBEARABLE = -667;
export const UNINDEXABLE = -700;

export const boxes = defineProjection<Box, BoxEvent>({
  name: 'boxes',
  version: 1,
  summary: 'Each box and what it holds.',
  schema: boxSchema,
  fields: { owner: 'text', total: 'integer' },
  orders: { '-total': [{ field: 'total', direction: 'desc' }] },
  on: {
    BoxOpened: creates('box', ({ data }) => ({ box: data.box, owner: data.owner, total: 0, fills: 0 })),
    BoxFilled: on('box', (box, { data }) => {
      if (data.amount === UNBEARABLE) throw new Error('this box cannot bear it');
      return box && { ...box, total: box.total + data.amount, fills: box.fills + 1 };
    }),
    BoxesMerged: {
      keys: ({ data }) => [data.from, data.into],
      apply: (box, { data }, key) =>
        key === data.from || box === undefined ? undefined : { ...box, fills: box.fills + 100 },
    },
    BoxClosed: on('box', () => undefined),
  },
  index: (box) => ({ owner: box.owner, total: box.total === UNINDEXABLE ? 0.5 : box.total }),
  words: (box) => [box.box, box.owner],
});

const ownerSchema = z.object({ owner: z.string(), given: z.number() });
export const owners = defineProjection<z.infer<typeof ownerSchema>, BoxEvent>({
  name: 'owners',
  version: 1,
  summary: 'What each owner has given.',
  schema: ownerSchema,
  fields: {},
  orders: { byKey: [] },
  on: {
    BoxFilled: on('owner', (owner, { data }) => ({
      owner: data.owner,
      given: (owner?.given ?? 0) + data.amount,
    })),
  },
  index: () => ({}),
});

export const projections: ProjectorParts<BoxEvent>['projections'] = [boxes, owners];

export function decodeBoxEvent(recorded: RecordedEvent): BoxEvent {
  const event = recorded as BoxEvent;
  if (event.type === 'BoxFilled' && event.data.amount === UNDECODABLE) throw new Error('no such amount');
  return event;
}

export interface Running {
  readonly projector: Projector;
  readonly errors: ProjectorError[];
}

export function projectorOn(
  store: EventStore,
  views: ViewStore,
  parts: Partial<ProjectorParts<BoxEvent>> = {},
): Running {
  const errors: ProjectorError[] = [];
  const onError = (projectorError: ProjectorError): void => void errors.push(projectorError);
  const now = (): number => Date.now();
  return {
    projector: createProjector<BoxEvent>({
      store,
      views,
      projections,
      decode: decodeBoxEvent,
      now,
      onError,
      ...parts,
    }),
    errors,
  };
}

let ids = 0;

/** Appends facts to a stream of their own or to one that is named; answers with the last position. */
export async function happen(
  store: EventStore,
  facts: readonly BoxFact[],
  streamId = `box-${++ids}`,
): Promise<string> {
  let revision = -1;
  for await (const event of store.read(streamId, { direction: 'backwards' })) {
    revision = event.revision;
    break;
  }
  const events = facts.map((fact) => ({
    id: `evt_${process.pid}_${++ids}`,
    version: 1,
    at: '2026-11-01T00:00:00.000Z',
    meta: { actor: 'test', requestId: 'r', commandId: 'c' },
    ...fact,
  }));
  const result = await store.append(streamId, revision, events);
  if (!result.ok) throw new Error(`somebody else wrote to ${streamId}`);
  return result.position;
}

/** The views as they must be, worked out in the plainest way. */
export async function replay(
  store: EventStore,
  skipped: readonly string[] = [],
): Promise<Record<string, unknown>> {
  const views = {
    boxes: new Map<string, Box>(),
    owners: new Map<string, { owner: string; given: number }>(),
  };
  for (const event of await everything(store)) {
    if (skipped.includes(event.id)) continue;
    replayOne(views, decodeBoxEvent(event));
  }
  return { boxes: sorted(views.boxes), owners: sorted(views.owners) };
}

function replayOne(
  views: { readonly boxes: Map<string, Box>; readonly owners: Map<string, { owner: string; given: number }> },
  event: BoxEvent,
): void {
  switch (event.type) {
    case 'BoxOpened':
      views.boxes.set(event.data.box, { ...event.data, total: 0, fills: 0 });
      break;
    case 'BoxFilled': {
      const { box, owner, amount } = event.data;
      const held = views.boxes.get(box);
      if (held) views.boxes.set(box, { ...held, total: held.total + amount, fills: held.fills + 1 });
      views.owners.set(owner, { owner, given: (views.owners.get(owner)?.given ?? 0) + amount });
      break;
    }
    case 'BoxesMerged': {
      const { from, into } = event.data;
      views.boxes.delete(from);
      const held = views.boxes.get(into);
      if (held) views.boxes.set(into, { ...held, fills: held.fills + 100 });
      break;
    }
    case 'BoxClosed':
      views.boxes.delete(event.data.box);
      break;
    case 'WindBlew':
      break;
  }
}

async function everything(store: EventStore): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for await (const page of store.subscribe({ after: null, signal: new AbortController().signal })) {
    events.push(...page.events);
    if (page.caughtUp) break;
  }
  return events;
}

/** Everything that the live views hold. */
export async function contents(views: ViewStore): Promise<Record<string, unknown>> {
  const orders = { boxes: '-total', owners: 'byKey' };
  const found: Record<string, unknown> = {};
  for (const [view, order] of Object.entries(orders)) {
    const { rows, total } = await views.page(view, { filter: {}, order, limit: 1_000 });
    expect(total).to.equal(rows.length);
    const documents = rows.map((row): [string, unknown] => {
      const document = JSON.parse(row);
      return [document.box ?? document.owner, document];
    });
    found[view] = sorted(new Map(documents));
  }
  return found;
}

function sorted(documents: ReadonlyMap<string, unknown>): unknown[] {
  return [...documents].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, document]) => document);
}

export const opened = (box: string, owner = 'ann'): BoxFact => ({ type: 'BoxOpened', data: { box, owner } });
export const filled = (box: string, amount: number, owner = 'ann'): BoxFact => ({
  type: 'BoxFilled',
  data: { box, owner, amount },
});
export const merged = (from: string, into: string): BoxFact => ({
  type: 'BoxesMerged',
  data: { from, into },
});
export const closed = (box: string): BoxFact => ({ type: 'BoxClosed', data: { box } });
export const wind: BoxFact = { type: 'WindBlew', data: {} };

/** A group that tells nobody of what happens, commits after each document, and leaves at the end of the log. */
export const SILENT_GROUP = {
  decode: decodeBoxEvent,
  batchDocuments: () => 1,
  now: () => 0,
  onMoved: () => {},
  onStuck: () => {},
  onRefused: () => {},
  onUnwritable: () => {},
  onEnd: async (group: SubscriptionGroup) => group.leave.abort(),
};
export const AT_START = { live: true, checkpoint: null, skipped: new Set<string>(), isCareful: false };

export function groupOf(...cursors: readonly GenerationCursor[]): SubscriptionGroup {
  return { cursors: new Set(cursors), phase: 'behind', leave: new AbortController() };
}
