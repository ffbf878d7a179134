/** The end of a connection whose request has not come whole. */
import type { IncomingMessage } from 'node:http';

const LINGER_MS = 5_000;

/**
 * Has node, which closes this connection after the answer, first say that we are done and still read for a while: to
 * close while the client sends makes the network drop the answer that is on its way to it.
 */
export function lingerAfterAnswer(req: IncomingMessage): void {
  const { socket } = req;
  // Who stopped reading half-way left it standing still. What was not read at all may wait for a 100 that never comes.
  if (req.readableDidRead) req.resume();
  socket.destroySoon = () => {
    socket.end();
    const giveUp = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(giveUp));
    req.once('end', () => socket.destroy());
  };
}
