/**
 * The port to work that is done later: named tasks, kept across restarts, each handed out at least once. Whoever takes
 * a task holds it for a time; if it is not heard of by then, another gets it. Retries, their pauses and repeated tasks
 * are the task runner's part (src/background/task-runner.ts), the same above every adapter.
 */
import { z } from 'zod';
import { type LogMark, logMarkSchema } from '../../events/log-mark.ts';

export interface NewTask {
  /** Names the work: a task whose id is known, or was added within {@link REMEMBERED_MS}, is not added again. */
  readonly id: string;
  /** The kind of task, by which it is claimed: one of few. */
  readonly name: string;
  /** JSON text for whoever does it. */
  readonly payload: string;
  /** Not before this; Unix time. */
  readonly dueAtMs: number;
}

export interface Task extends Omit<NewTask, 'dueAtMs'> {
  /** How many times it has been handed out since it was added or repeated, this time included. */
  readonly attempt: number;
  /** When it was added, or repeated last. */
  readonly addedAtMs: number;
  /** Proves whose it is. One that ran out may settle nothing; once another has the task it surely does not. */
  readonly claim: string;
}

export type ClaimedTask = Pick<Task, 'id' | 'name' | 'claim'>;

/** The ids of tasks are known for so long at least, also of finished ones. */
export const REMEMBERED_MS = 8 * 24 * 60 * 60 * 1_000;

/** What a queue knows of the log that its tasks come from. */
export interface QueueMark {
  readonly mark: LogMark;
  /** How far the log was read when tasks were added last: the mark, or after it, where the log had only that at hand. */
  readonly reached: string;
}

export interface Queue {
  /** Resolves once the tasks are durable. Those whose ids are known are left as they are. */
  add(tasks: readonly NewTask[]): Promise<void>;
  /**
   * Hands out tasks that are due, in about the order in which they fell due. Nobody else gets them for `leaseMs`, which
   * is the same for all of a name; soon after it whoever asks.
   */
  claim(name: string, limit: number, leaseMs: number): Promise<readonly Task[]>;
  /** The task is done and never handed out again. */
  finish(task: ClaimedTask): Promise<void>;
  /** To be handed out again at that time, as after a failure. */
  postpone(task: ClaimedTask, dueAtMs: number): Promise<void>;
  /** To be handed out again at that time, as if it had just been added. */
  repeat(task: ClaimedTask, dueAtMs: number): Promise<void>;
  /** When the next task of this name falls due; null where none waits. Those that are held may count or not. */
  nextDueAtMs(name: string): Promise<number | null>;
  /** Called when tasks were added through this object. What other processes add is found by asking. */
  onAdded(listener: () => void): void;
  /**
   * Resolves if tasks can be added now, which it tries. Absent where asking for the next one tells as much.
   * @throws {QueueUnavailable} which says why not
   */
  checkWritable?(): Promise<void>;
  /** What was kept last; null where nothing was. */
  mark(): Promise<QueueMark | null>;
  keepMark(mark: QueueMark): Promise<void>;
  close(): Promise<void>;
}

const queueMarkSchema = z
  .strictObject({ mark: logMarkSchema, reached: z.string() })
  // As it was kept before the queue knew how far the log was read.
  .or(logMarkSchema.transform((mark) => ({ mark, reached: mark.position })));

/** Null for what is no mark: a queue that keeps nonsense is one that was told nothing. */
export function parseQueueMark(text: string | null): QueueMark | null {
  if (text === null) return null;
  try {
    return queueMarkSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** The engine behind the queue cannot be reached or written. Everything may be tried again later. */
export class QueueUnavailable extends Error {
  override readonly name = 'QueueUnavailable';
}
