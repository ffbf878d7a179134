/**
 * One kind of task as a queue of bullmq, worked by hand: a task is a job, a claim is the job's lock, and nothing runs
 * here by itself. Jobs fall due by the clock of the process that asks, and locks end by the clock of Redis.
 *
 * A finished job is removed. What keeps its id known is bullmq's deduplication key, which outlives it at a tenth of the
 * memory; while there is a job, its own key keeps a second one away.
 */
import { randomUUID } from 'node:crypto';
import { createRedisBackend, ErrorCode, Job, Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { type ClaimedTask, type NewTask, REMEMBERED_MS, type Task } from '../../src/ports/queue.ts';

/** Nobody reads bullmq's stream of events; it cannot be switched off. */
const MAX_EVENTS = 100;
/** How often, at most, it is looked for jobs whose lock has ended. */
const MAX_LOOK_MS = 5_000;
/** So many are asked for at first, and twice as many each time that there were as many: an empty queue costs little. */
const FIRST_BATCH = 32;
/** What bullmq answers where the job is not ours any more. */
const NOT_OURS: readonly unknown[] = [
  ErrorCode.JobNotExist,
  ErrorCode.JobLockNotExist,
  ErrorCode.JobNotInState,
  ErrorCode.JobLockMismatch,
];
/** bullmq keeps the time at which a job falls due in the upper bits of its place. */
const PLACES_PER_MS = 0x1000;

/** Takes jobs under locks of one length. */
interface Claimant {
  readonly worker: Worker<string>;
  readonly lookEveryMs: number;
  /** By the clock of `performance.now()`. */
  nextLookMs: number;
}

export class QueueKind {
  readonly #name: string;
  readonly #client: Redis;
  readonly #options: ReturnType<typeof sharedOptions>;
  readonly #queue: Queue<string>;
  /** By the length of their locks. */
  readonly #claimants = new Map<number, Claimant>();

  constructor(client: Redis, prefix: string, name: string) {
    this.#name = name;
    this.#client = client;
    this.#options = sharedOptions(client, prefix);
    this.#queue = new Queue<string>(encodeURIComponent(name), {
      ...this.#options,
      streams: { events: { maxLen: MAX_EVENTS } },
    });
    this.#queue.on('error', toldByTheLink);
  }

  async add(tasks: readonly NewTask[]): Promise<void> {
    const nowMs = Date.now();
    const jobs = tasks.map(({ id, payload, dueAtMs }) => {
      const jobId = jobIdOf(id);
      return {
        name: this.#name,
        data: payload,
        opts: {
          jobId,
          timestamp: nowMs,
          delay: Math.max(0, dueAtMs - nowMs),
          removeOnComplete: true,
          deduplication: { id: jobId, ttl: REMEMBERED_MS },
        },
      };
    });
    await this.#queue.addBulk(jobs);
  }

  async claim(limit: number, leaseMs: number): Promise<readonly Task[]> {
    const claimant = this.#claimantWith(leaseMs);
    await lookForEndedLocks(claimant);
    const tasks: Task[] = [];
    for (let batch = FIRST_BATCH; tasks.length < limit; batch *= 2) {
      const wanted = Math.min(batch, limit - tasks.length);
      const asked = Array.from({ length: wanted }, () => this.#claimOne(claimant));
      const answers = await Promise.allSettled(asked);
      const given = answers.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
      tasks.push(...given);
      const failed = answers.find((one) => one.status === 'rejected');
      // What was given is not lost for it; whoever asks again learns that Redis is away.
      if (failed !== undefined && tasks.length === 0) throw failed.reason;
      if (given.length < wanted) break;
    }
    return tasks;
  }

  finish({ id, claim }: ClaimedTask): Promise<void> {
    const job = new Job(this.#queue, this.#name, '', { removeOnComplete: true }, jobIdOf(id));
    return settled(job.moveToCompleted('', claim, false));
  }

  postpone(task: ClaimedTask, dueAtMs: number): Promise<void> {
    return this.#delay(task, dueAtMs);
  }

  repeat(task: ClaimedTask, dueAtMs: number): Promise<void> {
    // The fields of a job that tell how often it was handed out, and when it was added.
    return this.#delay(task, dueAtMs, { ats: 0, timestamp: Date.now() });
  }

  async nextDueAtMs(): Promise<number | null> {
    const [waiting, [, place]] = await Promise.all([
      this.#client.llen(this.#queue.toKey('wait')),
      this.#client.zrange(this.#queue.toKey('delayed'), '0', '0', 'WITHSCORES'),
    ]);
    if (waiting > 0) return Date.now();
    return place === undefined ? null : Math.floor(Number(place) / PLACES_PER_MS);
  }

  async close(): Promise<void> {
    await Promise.all([
      this.#queue.close(),
      ...[...this.#claimants.values()].map(({ worker }) => worker.close()),
    ]);
  }

  async #claimOne({ worker }: Claimant): Promise<readonly Task[]> {
    const claim = randomUUID();
    const job = await worker.getNextJob(claim, { block: false });
    if (job?.id === undefined) return [];
    const { id, data, attemptsStarted, timestamp } = job;
    return [
      {
        id: taskIdOf(id),
        name: this.#name,
        payload: data,
        attempt: attemptsStarted,
        addedAtMs: timestamp,
        claim,
      },
    ];
  }

  #delay({ id, claim }: ClaimedTask, dueAtMs: number, fields?: Record<string, number>): Promise<void> {
    const nowMs = Date.now();
    const delayMs = Math.max(0, dueAtMs - nowMs);
    const options = { skipAttempt: true, ...(fields && { fieldsToUpdate: fields }) };
    return settled(this.#queue.getBackend().moveToDelayed(jobIdOf(id), nowMs, delayMs, claim, options));
  }

  #claimantWith(leaseMs: number): Claimant {
    const known = this.#claimants.get(leaseMs);
    if (known !== undefined) return known;
    const lookEveryMs = Math.min(MAX_LOOK_MS, Math.ceil(leaseMs / 4));
    const options = {
      ...this.#options,
      autorun: false,
      lockDuration: leaseMs,
      // Another process's look stands for ours for so long; half, or our own would now and then be in our way.
      stalledInterval: Math.ceil(lookEveryMs / 2),
      // It is not for the queue to give a task up.
      maxStalledCount: Number.MAX_SAFE_INTEGER,
    };
    // Without the second connection that a worker would wait on.
    const worker = new Worker<string>(this.#queue.name, null, options, (name, given) =>
      createRedisBackend(name, given),
    );
    worker.on('error', toldByTheLink);
    const claimant = { worker, lookEveryMs, nextLookMs: 0 };
    this.#claimants.set(leaseMs, claimant);
    return claimant;
  }
}

/** bullmq finds them in two steps: what it has seen locked once and finds without a lock then, it hands out again. */
async function lookForEndedLocks(claimant: Claimant): Promise<void> {
  const nowMs = performance.now();
  if (nowMs < claimant.nextLookMs) return;
  claimant.nextLookMs = nowMs + claimant.lookEveryMs;
  await claimant.worker.getBackend().moveStalledJobsToWait();
}

/** The link sees to the connection, and the engine has checked the version. */
function sharedOptions(client: Redis, prefix: string) {
  return { connection: client, prefix, skipVersionCheck: true };
}

/** bullmq takes no numbers and few colons for ids. */
function jobIdOf(taskId: string): string {
  return `task-${encodeURIComponent(taskId)}`;
}

function taskIdOf(jobId: string): string {
  return decodeURIComponent(jobId.slice('task-'.length));
}

/** A claim that ran out settles nothing, and that is no failure. */
async function settled(settling: Promise<unknown>): Promise<void> {
  try {
    await settling;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && NOT_OURS.includes(error.code))) throw error;
  }
}

/** Every call has its own answer; bullmq would write to the console where nobody listens. */
function toldByTheLink(): void {}
