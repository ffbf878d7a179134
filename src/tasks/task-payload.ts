import type { z } from 'zod';
import { QueueUnavailable, type Task } from '../ports/queue.ts';

/** What the task was added with. @throws {QueueUnavailable} the queue gives back something else */
export function payloadOf<Payload>(task: Task, schema: z.ZodType<Payload>): Payload {
  try {
    return schema.parse(JSON.parse(task.payload));
  } catch (error) {
    throw new QueueUnavailable(`the task ${task.id} is damaged: its payload is not what was written`, {
      cause: error,
    });
  }
}
