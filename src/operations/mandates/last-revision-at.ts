/** Where a mandate's streams stood at a moment. Times never run backwards within a stream, so halving finds it. */
import { mandateDecider } from '../../../commands/mandate/mandate.ts';
import { denialDecider } from '../../../commands/mandate/record-denial.ts';
import { LogContradiction, NO_STREAM } from '../../../events/event-store.ts';
import { streamIdOf } from '../../commanding/command-runner.ts';
import type { Services } from '../services.ts';

/** The revision of the last event that is not later than `asOf` (null: of the last event), -1 if there is none. */
export async function lastRevisionAt(
  { commands, events }: Pick<Services, 'commands' | 'events'>,
  mandateId: string,
  asOf: string | null,
  now: string,
): Promise<number> {
  const { state, revision: newest } = await commands.load(mandateDecider, mandateId, now);
  // It is asked of mandates that have a key, which was made after them.
  if (newest === NO_STREAM) throw new LogContradiction(`${mandateId} has a key and is not there`);
  if (asOf === null) return newest;
  const streamId = streamIdOf(mandateDecider, mandateId);
  if (state.status !== 'absent' && state.correctedTo !== undefined)
    return lastNotLater(events, streamId, asOf);
  return halved(events, streamId, newest, asOf);
}

/** The same of what the mandate denied. */
export async function lastDenialAt(
  { commands, events }: Pick<Services, 'commands' | 'events'>,
  mandateId: string,
  asOf: string | null,
  now: string,
): Promise<number> {
  const { revision: newest } = await commands.load(denialDecider, mandateId, now);
  return asOf === null ? newest : halved(events, streamIdOf(denialDecider, mandateId), newest, asOf);
}

async function halved(
  events: Services['events'],
  streamId: string,
  newest: number,
  asOf: string,
): Promise<number> {
  let notLater = NO_STREAM;
  let later = newest + 1;
  while (later - notLater > 1) {
    const middle = Math.floor((notLater + later) / 2);
    if ((await timeOf(events, streamId, middle)) <= asOf) notLater = middle;
    else later = middle;
  }
  return notLater;
}

/** Once its time was set back, the order of times tells nothing: read back to the last event that is not later. */
async function lastNotLater(events: Services['events'], streamId: string, asOf: string): Promise<number> {
  for await (const { at, revision } of events.read(streamId, { direction: 'backwards' }))
    if (at <= asOf) return revision;
  return NO_STREAM;
}

async function timeOf(events: Services['events'], streamId: string, revision: number): Promise<string> {
  for await (const event of events.read(streamId, { from: revision })) return event.at;
  throw new LogContradiction(`${streamId} has no event at revision ${revision}`);
}
