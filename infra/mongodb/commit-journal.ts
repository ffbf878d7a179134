/**
 * The collection `journal`: what a commit is about to write, whole, before any of it is written. Its entry bears the
 * number of the step that it makes of its generation, and no two entries can have the same: of several writers one gets
 * it. Whoever finds an entry can finish what its writer left.
 */
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, deflateRaw, deflateRawSync, inflateRaw } from 'node:zlib';
import { Binary } from 'mongodb';
import type { LogMark } from '../../events/log-mark.ts';
import type { ViewWrite } from '../../projections/view-store.ts';
import type { MongoLink } from './connection.ts';
import { takenPlaces } from './insert-once.ts';

export interface Entry {
  readonly _id: string;
  readonly generation: number;
  readonly step: number;
  /** The checkpoint that it moves to. */
  readonly to: string;
  /** Of the log up to there; absent where the writer knew none. */
  readonly mark?: LogMark;
  /** When it was made, by its writer's clock, in Unix milliseconds. */
  readonly madeAt: number;
  /** Tells the entries of several writers apart. */
  readonly token: string;
  /** The writes as JSON, compressed. What one document cannot hold lies in parts, which are inserted before. */
  readonly body: Binary;
  readonly parts: readonly string[];
}

interface Part {
  readonly _id: string;
  readonly body: Binary;
}

export interface PreparedEntry {
  readonly entry: Entry;
  readonly parts: readonly Part[];
}

/** A document may have 16 MiB. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;
const STEP_DIGITS = 15;
const FAST = { level: constants.Z_BEST_SPEED };
/** A millisecond's work: to have another thread do it takes longer. */
const SHORT_CHARS = 64 * 1024;

const deflateBeside = promisify<string, typeof FAST, Buffer>(deflateRaw);
const inflate = promisify<Buffer, Buffer>(inflateRaw);

export type CommitJournal = ReturnType<typeof commitJournal>;

export function commitJournal({ db, kind, ask, maxTimeMS }: MongoLink) {
  const entries = db.collection<Entry>('journal');
  const parts = db.collection<Part>('journal');

  return {
    /** Answers with the entries that got their step. */
    async insert(prepared: readonly PreparedEntry[]): Promise<ReadonlySet<Entry>> {
      for (const part of prepared.flatMap((one) => one.parts)) await ask(() => parts.insertOne(part));
      const wanted = prepared.map(({ entry }) => entry);
      if (wanted.length === 0) return new Set();
      const taken = await ask(() => takenPlaces(() => entries.insertMany(wanted, { ordered: false })));
      return new Set(wanted.filter((_, i) => !taken.has(i)));
    },
    /** Those of these generations that may be finished: at once, or when their writers must have given up. */
    async unsettled(generations: readonly number[]): Promise<readonly Entry[]> {
      const madeAt = kind.isAtomic ? { $exists: true } : { $lt: Date.now() - maxTimeMS };
      const filter = { $or: generations.map((generation) => upTo(generation)), madeAt };
      return ask(() => entries.find(filter, { maxTimeMS }).toArray());
    },
    async writesOf({ body, parts: ids }: Entry): Promise<readonly ViewWrite[]> {
      const rest = await Promise.all(ids.map((_id) => ask(() => parts.findOne({ _id }, { maxTimeMS }))));
      const bodies = [body, ...rest.flatMap((part) => part?.body ?? [])];
      if (bodies.length <= ids.length) throw new Error(`a part of ${ids.join(', ')} is missing`);
      return toWrites(await inflate(Buffer.concat(bodies.map((one) => one.buffer))));
    },
    /** This very entry, which its writer must not apply. */
    async withdraw({ _id, token }: Entry): Promise<void> {
      await ask(() => entries.deleteMany({ _id, token }));
    },
    /** All up to these steps, which their generations have taken in. */
    async forget(settled: readonly Pick<Entry, 'generation' | 'step'>[]): Promise<void> {
      const deletions = settled.map(({ generation, step }) => ({
        deleteMany: { filter: upTo(generation, step) },
      }));
      await ask(() => entries.bulkWrite(deletions, { ordered: false, writeConcern: { w: 1 } }));
    },
  };
}

export async function prepareEntry(
  claim: Pick<Entry, 'generation' | 'step' | 'to' | 'mark'>,
  writes: readonly ViewWrite[],
): Promise<PreparedEntry> {
  const token = randomUUID();
  const packed = await deflate(JSON.stringify(writes));
  const bodies: Binary[] = [];
  for (let at = 0; at < packed.length; at += MAX_BODY_BYTES) {
    bodies.push(new Binary(packed.subarray(at, at + MAX_BODY_BYTES)));
  }
  const _id = idOf(claim.generation, claim.step);
  const [body = new Binary(), ...rest] = bodies;
  const parts = rest.map((one, i) => ({ _id: `${_id}:${token}:${i}`, body: one }));
  return {
    entry: { ...claim, _id, madeAt: Date.now(), token, body, parts: parts.map((part) => part._id) },
    parts,
  };
}

async function deflate(text: string): Promise<Buffer> {
  return text.length <= SHORT_CHARS ? deflateRawSync(text, FAST) : deflateBeside(text, FAST);
}

function idOf(generation: number, step: number): string {
  return `${generation}:${String(step).padStart(STEP_DIGITS, '0')}`;
}

/** The entries of a generation with their parts. */
function upTo(generation: number, step = Number.MAX_SAFE_INTEGER): { _id: { $gte: string; $lt: string } } {
  return { _id: { $gte: `${generation}:`, $lt: `${idOf(generation, step)}~` } };
}

/** Only {@link prepareEntry} writes these bytes. */
function toWrites(json: Buffer): readonly ViewWrite[] {
  return JSON.parse(json.toString()) as readonly ViewWrite[];
}
