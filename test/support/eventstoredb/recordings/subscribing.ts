/** A subscription of a scenario: what it says, in order, while calls are made beside it. */
import {
  type AllStreamSubscription,
  END,
  type ResolvedEvent,
  START,
  streamNameFilter,
  type StreamSubscription,
} from '@eventstore/db-client';
import { notedError, notedResolved } from './noted.ts';
import type { Answer, SubscribeCall } from './scenario.ts';
import type { MakeCall, Names, Stage } from './stage.ts';

/** A checkpoint is named when all is over: the event it stands at may have no name yet. */
type Said = unknown;

export async function subscribe(stage: Stage, call: SubscribeCall, makeCall: MakeCall): Promise<Answer> {
  const { client, waits } = stage;
  const said: Said[] = [];
  let isOver = false;
  const quiet = () => waits.quiet(client, () => said.length);
  const subscription = open(stage, call, said);
  subscription.on('confirmation', () => said.push('confirmation'));
  subscription.on('caughtUp', () => said.push('caughtUp'));
  subscription.on('fellBehind', () => said.push('fellBehind'));
  subscription.on('data', (resolved: ResolvedEvent) => {
    if (call.own === undefined || (resolved.link ?? resolved.event)?.streamId.startsWith(call.own)) {
      said.push(notedResolved(stage.names, resolved));
    }
  });
  subscription.on('error', (error) => {
    isOver = true;
    said.push(notedError(error));
  });
  subscription.on('end', () => said.push('end'));
  await quiet();
  if (isOver) return { said: named(stage.names, said) };
  const live: Answer[] = [];
  for (const each of call.live ?? []) {
    if (each.do === 'subscribe') throw new Error('no subscription beside a subscription');
    live.push(await makeCall(stage, each));
    await quiet();
  }
  if (!isOver) await subscription.unsubscribe();
  await quiet();
  return { said: named(stage.names, said), ...(call.live !== undefined && { live }) };
}

function open(
  { client, names }: Stage,
  call: SubscribeCall,
  said: Said[],
): StreamSubscription | AllStreamSubscription {
  const links = call.resolveLinks === undefined ? {} : { resolveLinkTos: call.resolveLinks };
  if (call.stream !== undefined) {
    return client.subscribeToStream(call.stream, { fromRevision: revision(call.from), ...links });
  }
  const fromPosition = names.placeOf(call.from);
  if (call.prefix === undefined) return client.subscribeToAll({ fromPosition, ...links });
  return client.subscribeToAll({
    fromPosition,
    ...links,
    filter: streamNameFilter({
      prefixes: [call.prefix],
      ...(call.maxSearchWindow !== undefined && { maxSearchWindow: call.maxSearchWindow }),
      ...(call.checkpointInterval !== undefined && { checkpointInterval: call.checkpointInterval }),
      checkpointReached: async (_, { commit, prepare }) => void said.push({ atCommit: commit, prepare }),
    }),
  });
}

/** Where a stream is followed from: a scenario names a revision, never a place of the log. */
function revision(from: SubscribeCall['from']): bigint | typeof START | typeof END {
  if (from === 'start') return START;
  if (from === 'end') return END;
  if (typeof from === 'object') throw new TypeError('a stream has no place of the log');
  return BigInt(from ?? 0);
}

function named(names: Names, said: readonly Said[]): readonly unknown[] {
  return said.map((one) => {
    if (typeof one !== 'object' || one === null || !('atCommit' in one)) return one;
    // Put in by `open`, with both.
    const { atCommit, prepare } = one as { atCommit: bigint; prepare: bigint };
    return { checkpoint: names.at(atCommit), prepare: prepare === atCommit ? '= commit' : String(prepare) };
  });
}
