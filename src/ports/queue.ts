/**
 * The port to work that is done later: named tasks, kept across restarts, each handed out at least once. Whoever takes
 * a task holds it for a time; if it is not heard of again by then, the next one gets it. Retries, their pauses and
 * repeated tasks are the task runner's part (src/runners/task-runner.ts), the same above every adapter.
 */

export interface NewTask {
  /** Names the work: a task whose id is known, or was within {@link REMEMBERED_MS}, is not added again. */
  readonly id: string;
  /** The kind of task, by which it is claimed. */
  readonly name: string;
  /** JSON text for whoever does it. */
  readonly payload: string;
  /** Not before this; Unix time. */
  readonly dueAtMs: number;
}

export interface Task extends NewTask {
  /** How many times it has been handed out since it was added or repeated, this time included. */
  readonly attempt: number;
  /** When it was added, or repeated last. */
  readonly addedAtMs: number;
  /** Proves whose it is: a claim that ran out settles nothing any more. */
  readonly claim: number;
}

export type ClaimedTask = Pick<Task, 'id' | 'claim'>;

/** Ids of finished tasks are kept for so long. */
export const REMEMBERED_MS = 8 * 24 * 60 * 60 * 1_000;

export interface TaskCounts {
  /** Not finished, whether due or not. */
  readonly waiting: number;
  /** Due and not taken, or taken by somebody who was not heard of again. */
  readonly due: number;
}

export interface Queue {
  /** Resolves once the tasks are durable, with how many of them were new. */
  add(tasks: readonly NewTask[], nowMs: number): Promise<number>;
  /** Hands out tasks that are due, the longest due first; nobody else gets them for `leaseMs`. */
  claim(name: string, limit: number, leaseMs: number, nowMs: number): Promise<readonly Task[]>;
  /** The task is done and never handed out again. Nothing happens if the claim ran out and another has it. */
  finish(task: ClaimedTask, nowMs: number): Promise<void>;
  /** To be handed out again at `dueAtMs`: after a failure, or (`repeat`) as if it had just been added. */
  postpone(task: ClaimedTask, dueAtMs: number, repeat: { readonly nowMs: number } | null): Promise<void>;
  /** When the next task of this name is due, or null where none waits. */
  nextDueAtMs(name: string): Promise<number | null>;
  counts(nowMs: number): Promise<TaskCounts>;
  /** Called when tasks were added through this object. What other processes add is found by asking. */
  onAdded(listener: () => void): void;
  close(): Promise<void>;
}

/** The engine behind the queue cannot be reached or written. Everything may be tried again later. */
export class QueueUnavailable extends Error {
  override readonly name = 'QueueUnavailable';
}
