/** The worker's side of worker-rpc.ts, and of whoever else asks a worker. */
import { parentPort } from 'node:worker_threads';

/**
 * Answers whatever the worker is asked.
 * @param close called once it is asked for nothing more; then it ends by itself
 */
export function serveQuestions<Question, Answer>(
  answer: (question: Question) => Answer | Promise<Answer>,
  close: () => void,
): void {
  if (parentPort === null) throw new Error('questions are answered in a worker only');
  const port = parentPort;
  const reply = async (question: Question): Promise<void> => port.postMessage(await answer(question));
  port.on('message', (question: Question | null) => {
    if (question !== null) return void reply(question);
    close();
    port.close();
  });
}
