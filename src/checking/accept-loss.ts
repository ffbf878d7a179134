/**
 * Lets work go on with a log that has lost what its followers have seen. What they still know of it is used first: spends
 * that were acknowledged count again. Then the loss is recorded, and whatever was made of the lost events is dropped, to
 * be made anew. Broken off anywhere, it is asked for again: no service starts before it has ended.
 */
import { randomUUID } from 'node:crypto';
import { LOSSES, logDecider } from '../../commands/log/log.ts';
import { mandateDecider } from '../../commands/mandate/mandate.ts';
import type { Checkpoints } from '../../events/checkpoints.ts';
import { type EventStore, StoreUnavailable } from '../../events/event-store.ts';
import { type LogFact, MOST_LISTED } from '../../events/log-events.ts';
import { periodOf } from '../../events/period.ts';
import { jobsProjection } from '../../projections/jobs.ts';
import type { ViewStore } from '../../projections/view-store.ts';
import type { Queue } from '../ports/queue.ts';
import { type CommandRunner, createCommandRunner } from '../commanding/command-runner.ts';
import type { CommandCall } from '../commanding/command-call.ts';
import { compareFollowers, type LogDifference, type LogFollower } from './compare-followers.ts';
import { HEAD_FILE } from './followers-of.ts';
import { type LostProgress, type LostSpend, lostOfJobs } from './lost-spends.ts';

export interface LossParts {
  /** The log itself, not as a service uses it: that takes no writes now. */
  readonly events: EventStore;
  readonly checkpoints: Checkpoints;
  readonly views: ViewStore;
  readonly queue: Queue;
  readonly followers: () => Promise<readonly LogFollower[]>;
  /** The names under which the reactions keep their checkpoints. */
  readonly reactions: readonly string[];
  /** Told how many jobs were looked for. */
  readonly onProgress: (jobs: number) => void;
}

export interface Loss {
  readonly differences: readonly LogDifference[];
  /** Whether accepting it was begun before and broken off. */
  readonly isBegun: boolean;
  readonly spends: readonly LostSpend[];
  readonly jobs: readonly LostProgress[];
}

/**
 * What is lost, as far as it is known; null where nothing is. Writes nothing.
 * @throws {ViewsUnavailable | QueueUnavailable} one that accepting it needs cannot be used
 */
export async function findLoss(parts: LossParts): Promise<Loss | null> {
  const { events, views } = parts;
  const isBegun = (await begunId(parts.checkpoints)) !== null;
  const compared = await compareFollowers(events, await parts.followers());
  const differences = [...compared, ...(await aheadOf(parts))];
  if (differences.length === 0 && !isBegun) return null;
  await views.open([jobsProjection]);
  // It is given the mark of this log in the end: to fail then would leave the loss half accepted.
  await parts.queue.mark();
  const spends: LostSpend[] = [];
  const jobs: LostProgress[] = [];
  for await (const lost of lostOfJobs(events, views, parts.onProgress))
    if (lost.kind === 'spend') spends.push(lost.spend);
    else jobs.push(lost.job);
  return { differences, isBegun, spends, jobs };
}

/** @returns what was recorded */
export async function acceptLoss(
  parts: LossParts,
  { differences, spends, jobs }: Loss,
  reason: string,
  cause: Omit<CommandCall, 'commandId'>,
): Promise<LogFact['data']> {
  const { events, checkpoints, views, queue, reactions } = parts;
  const id = (await begunId(checkpoints)) ?? randomUUID();
  await checkpoints.set(NAME, UNFINISHED + id);

  const head = await events.head();
  const commands = createCommandRunner(events);
  const mandates = new Map<string, { spends: number; amountCents: number; isRaised: boolean }>();
  for (const spend of spends) {
    const { mandateId, amountCents } = spend;
    const isRaised = spend.isRecovered || (await recover(commands, spend, cause));
    const before = mandates.get(mandateId) ?? { spends: 0, amountCents: 0 };
    mandates.set(mandateId, {
      spends: before.spends + 1,
      amountCents: before.amountCents + amountCents,
      isRaised,
    });
  }

  const listed = [...mandates].map(([mandateId, one]) => ({ mandateId, ...one }));
  const loss: LogFact['data'] = {
    reason,
    logId: events.marks.logId() ?? '',
    head,
    followers: differences.slice(0, MOST_LISTED).map(({ kind, follower: { name, position, mark } }) => ({
      name,
      kind,
      position: mark?.position ?? position,
      at: mark?.at ?? null,
    })),
    spends: spends.length,
    amountCents: spends.reduce((sum, { amountCents }) => sum + amountCents, 0),
    jobs: jobs.slice(0, MOST_LISTED).map(({ id: jobId, status }) => ({ jobId, status })),
    moreJobs: Math.max(0, jobs.length - MOST_LISTED),
    mandates: listed.slice(0, MOST_LISTED),
    moreMandates: Math.max(0, listed.length - MOST_LISTED),
  };
  const recorded = await commands.run(
    logDecider,
    LOSSES,
    { type: 'AcceptLogLoss', loss },
    { ...cause, commandId: `accept-loss:${id}` },
  );
  await commands.idle();

  await views.forgetAll();
  const end = (await events.head()) ?? '';
  for (const name of reactions) {
    const position = await checkpoints.get(name);
    if (position !== null && events.knows(position) && position > end) await checkpoints.set(name, end);
  }
  const mark = await events.marks.at(end);
  if (mark !== null) await queue.keepMark({ mark, reached: end });
  const [left] = await compareFollowers(events, await parts.followers());
  if (left !== undefined) {
    // Under a new id: the next run has a loss of its own to record, and whoever is told of an append is told of it.
    await checkpoints.set(NAME, UNFINISHED + randomUUID());
    throw new StoreUnavailable(
      `the loss is recorded, but ${left.follower.name} ${left.problem}: ${remedy(left)}`,
    );
  }
  await checkpoints.set(NAME, FINISHED + id);
  // The first run's, where this one only ended what that had begun.
  return 'events' in recorded ? (recorded.events.at(-1)?.data ?? loss) : loss;
}

/**
 * Reactions whose checkpoints are kept with the log and stand where it has no place: the database was not restored whole,
 * from one moment. The start of a subscription tells, as a place behind our last event may be of somebody else's.
 */
async function aheadOf({ events, checkpoints, reactions }: LossParts): Promise<readonly LogDifference[]> {
  const head = (await events.head()) ?? '';
  const ahead: LogDifference[] = [];
  for (const name of reactions) {
    const position = await checkpoints.get(name);
    if (position === null || !events.knows(position) || position <= head) continue;
    if (await isPlace(events, position)) continue;
    const problem = `has come to ${position}, kept with the log, and the log ends before: it was not restored whole, from one moment. It would go on from the end`;
    ahead.push({
      follower: { name: `the reaction ${name}`, position, mark: null },
      kind: 'shorter',
      problem,
    });
  }
  return ahead;
}

async function isPlace(events: EventStore, after: string): Promise<boolean> {
  const looking = new AbortController();
  try {
    for await (const _page of events.subscribe({ after, signal: looking.signal })) return true;
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  } finally {
    looking.abort();
  }
}

/** Whether the mandate counts it again; one that is lost itself cannot. */
async function recover(
  commands: CommandRunner,
  { id: jobId, spendId, keyId, mandateId, amountCents, createdAt }: LostSpend,
  cause: Omit<CommandCall, 'commandId'>,
): Promise<boolean> {
  // A clock that ran ahead then does not hide a spend from the month that it is.
  const spentAt = createdAt < cause.at ? createdAt : cause.at;
  const spend = { spendId, jobId, keyId, amountCents, spentAt, period: periodOf(spentAt) };
  const call = { ...cause, commandId: `recover:${spendId}` };
  const outcome = await commands.run(mandateDecider, mandateId, { type: 'RecoverSpend', spend }, call);
  return outcome.kind !== 'rejected';
}

/** The head file follows every append: one that differs now could not be written, and would not be the next time. */
function remedy({ follower }: LogDifference): string {
  return follower.name === HEAD_FILE
    ? 'bourse.db-head cannot be written. Make it writable or remove it, then give the same command again'
    : 'the same command again accepts that too';
}

/** Kept beside the checkpoints of the reactions, none of which is called so. */
const NAME = 'loss';
const UNFINISHED = 'accepting:';
const FINISHED = 'accepted:';

/** Changes with each loss that is accepted: who is running then remembers what is gone. Null before the first. */
export function acceptanceOf(checkpoints: Checkpoints): Promise<string | null> {
  return checkpoints.get(NAME);
}

async function begunId(checkpoints: Checkpoints): Promise<string | null> {
  const kept = await acceptanceOf(checkpoints);
  return kept?.startsWith(UNFINISHED) === true ? kept.slice(UNFINISHED.length) : null;
}

/** @throws {StoreUnavailable} accepting a loss was broken off */
export async function assertLossAccepted(checkpoints: Checkpoints): Promise<void> {
  if ((await begunId(checkpoints)) !== null)
    throw new StoreUnavailable(
      'accepting the loss of events was broken off: `bourse log accept-loss --reason TEXT --yes` again goes on with it',
    );
}
