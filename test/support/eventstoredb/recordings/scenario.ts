/** What real servers were asked and what they answered, one scenario a line. README.md says what the fields mean. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Generation } from '../generation.ts';

export const RECORDINGS: Readonly<Record<Generation, string>> = {
  '23.10': 'answers-23.10.6.ndjson',
  '24.2': 'answers-24.2.0.ndjson',
};

export interface Scenario {
  readonly scenario: number;
  readonly title: string;
  readonly steps: readonly Step[];
}

export interface Step {
  readonly call: Call;
  readonly answer: Answer;
}

/** Compared as a whole, never looked into. */
export type Answer = Readonly<Record<string, unknown>>;

export type WantedRevision = 'any' | 'no_stream' | 'stream_exists' | (string & {});

export type RecordedEvent =
  | string
  | {
      readonly id: string;
      readonly type?: string;
      readonly json?: unknown;
      readonly text?: string;
      readonly bytes?: number;
      readonly metadata?: Readonly<Record<string, unknown>>;
      readonly metadataBytes?: number;
    };

/** A place in the log: that of the event of this name, or so many bytes beside it. */
export type Place = string | { readonly of: string; readonly plus: number };

export type Call =
  | AppendCall
  | ReadCall
  | ReadAllCall
  | SubscribeCall
  | RemovalCall
  | SetMetadataCall
  | GetMetadataCall;

export interface AppendCall {
  readonly do: 'append';
  readonly stream: string;
  readonly expected?: WantedRevision;
  readonly events: readonly RecordedEvent[];
  readonly call?: 'batch' | 'unary';
}

interface Reading {
  readonly direction?: 'forwards' | 'backwards';
  readonly maxCount?: number;
  readonly resolveLinks?: boolean;
}

export interface ReadCall extends Reading {
  readonly do: 'read';
  readonly stream: string;
  /** `start`, `end` or a revision. */
  readonly from?: string;
}

export interface ReadAllCall extends Reading {
  readonly do: 'readAll';
  readonly from: Place;
  readonly own: string;
}

export interface SubscribeCall {
  readonly do: 'subscribe';
  /** To all when there is none. */
  readonly stream?: string;
  readonly from: Place;
  readonly own?: string;
  readonly prefix?: string;
  readonly maxSearchWindow?: number;
  readonly checkpointInterval?: number;
  readonly resolveLinks?: boolean;
  /** Made once it is quiet, with a pause after each. */
  readonly live?: readonly Call[];
}

export interface RemovalCall {
  readonly do: 'delete' | 'tombstone';
  readonly stream: string;
  readonly expected?: WantedRevision;
}

export interface SetMetadataCall {
  readonly do: 'setMetadata';
  readonly stream: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly expected?: WantedRevision;
}

export interface GetMetadataCall {
  readonly do: 'getMetadata';
  readonly stream: string;
}

export async function readScenarios(generation: Generation): Promise<readonly Scenario[]> {
  const path = fileURLToPath(new URL(RECORDINGS[generation], import.meta.url));
  const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '');
  // Ours: written by record.main.ts from calls of these types.
  return lines.map((line) => JSON.parse(line) as Scenario);
}
