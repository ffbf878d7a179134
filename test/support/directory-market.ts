/** A directory in memory, with the real runner and projector: for tests of operations, publishing and seeds. */
import { randomUUID } from 'node:crypto';
import { decodeEvent } from '../../events/catalog.ts';
import type { EventStore } from '../../events/event-store.ts';
import { memoryEventStore } from '../contract/memory/event-store.ts';
import { memoryViewStore } from '../contract/memory/view-store.ts';
import { directoryProjections } from '../../projections/directory.ts';
import type { ViewStore } from '../../projections/view-store.ts';
import {
  type ChangeExecutor,
  type ChangeResult,
  liveExecutor,
} from '../../src/operations/directory/writing/change-executor.ts';
import { StoredJson, type Call, type Outcome, type PublicOperation } from '../../src/operations/operation.ts';
import type { Services } from '../../src/operations/services.ts';
import { type CommandRunner, createCommandRunner } from '../../src/commanding/command-runner.ts';
import { createProjector, type Projector } from '../../src/projecting/projector.ts';
import { catchUpOnce } from './catch-up-once.ts';
import { DAY_1 } from './sample-directory.ts';

export interface Market {
  readonly events: EventStore;
  readonly views: ViewStore;
  readonly commands: CommandRunner;
  /** Brings the views to where the log is. */
  readonly catchUp: () => Promise<void>;
  /** An executor for one command at a time of its own. */
  readonly executorAt: (at: string) => ChangeExecutor;
  /** Runs a public operation on caught-up views and gives its answer as clients see it. */
  readonly ask: <Input, Output>(
    operation: PublicOperation<Input, Output>,
    input: unknown,
  ) => Promise<Asked<Output>>;
}

export type Asked<Output> =
  | { readonly ok: true; readonly data: Output; readonly meta: ListMeta }
  | Extract<Outcome<Output>, { ok: false }>;

interface ListMeta {
  readonly limit: number;
  readonly nextCursor: string | null;
  readonly total: number;
}

export function openMarket(): Market {
  const events = memoryEventStore();
  const views = memoryViewStore();
  const commands = createCommandRunner(events);
  const catchUp = (): Promise<void> => catchUpOnce(projectorOn(events, views));
  // Operations of the directory ask for nothing else.
  const services = { events, views, commands } as Services;
  return {
    events,
    views,
    commands,
    catchUp,
    executorAt: (at) =>
      liveExecutor(commands, { at, actor: 'test', requestId: 'test', commandId: randomUUID() }),
    async ask(operation, input) {
      await catchUp();
      const outcome = await operation.run(operation.input.parse(input), callAt(DAY_1), services);
      if (!outcome.ok) return outcome;
      const data = outcome.data instanceof StoredJson ? JSON.parse(outcome.data.text) : outcome.data;
      // Tests read `meta` of lists only, and those have it.
      return { ok: true, data: operation.output.parse(data), meta: outcome.meta as unknown as ListMeta };
    },
  };
}

function projectorOn(store: EventStore, views: ViewStore): Projector {
  return createProjector({
    store,
    views,
    projections: directoryProjections,
    decode: decodeEvent,
    now: () => 0,
    onError: ({ error }) => {
      throw error;
    },
  });
}

function callAt(at: string): Call {
  return {
    caller: null,
    requestId: 'test',
    at,
    commandId: randomUUID(),
    signal: new AbortController().signal,
  };
}

/** The answer of a question that must not be refused. */
export function answered<Output>(asked: Asked<Output>): Extract<Asked<Output>, { ok: true }> {
  if (!asked.ok) throw new Error(asked.refusal.message);
  return asked;
}

export function refused<Output>(asked: Asked<Output>): string {
  if (asked.ok) throw new Error('this should have been refused');
  return asked.refusal.code;
}

/** A change that must not be refused. */
export async function done(change: Promise<ChangeResult>): Promise<readonly string[]> {
  const result = await change;
  if (!result.ok) throw new Error(result.refusal.message);
  return result.events;
}
