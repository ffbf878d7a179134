import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import {
  createUnreadAnswers,
  type UnreadAnswers,
  type UnreadBounds,
} from '../../src/transport/unread-answers.ts';
import { listenAnywhere } from '../support/ports.ts';
import { until } from '../support/until.ts';

/** More than the buffers of a connection take. */
const LARGE = 'x'.repeat(24 * 1_024 * 1_024);
const PATIENT = { timeoutMs: 60_000, slowestBytesPerMs: 1, maxBytes: 1_024 * 1_024 * 1_024 };

describe('answers that are not read', () => {
  const closing: (() => void)[] = [];
  afterEach(() => closing.splice(0).forEach((close) => close()));

  async function answering(bounds: Partial<UnreadBounds>): Promise<{ unread: UnreadAnswers; port: number }> {
    const unread = createUnreadAnswers({ ...PATIENT, ...bounds });
    const server = createServer((_req, res: ServerResponse) => {
      res.end(LARGE);
      unread.hold(res);
    });
    closing.push(() => {
      server.closeAllConnections();
      server.close();
    });
    return { unread, port: await listenAnywhere(server) };
  }

  async function ask(port: number): Promise<Socket> {
    const socket = connect(port, '127.0.0.1').pause();
    closing.push(() => void socket.destroy());
    socket.on('error', () => {});
    await once(socket, 'connect');
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    return socket;
  }

  it('are let go after their time, and their memory with them', async () => {
    const { unread, port } = await answering({ timeoutMs: 50, slowestBytesPerMs: 1e9 });
    const socket = await ask(port);
    await until('it is held', () => unread.heldBytes() > 0);
    await until('it is let go', () => unread.heldBytes() === 0);
    socket.resume();
    await once(socket, 'close');
  });

  it('have the longer the larger they are', async () => {
    const { unread, port } = await answering({ timeoutMs: 0, slowestBytesPerMs: 1 });
    const socket = await ask(port);
    await until('it is held', () => unread.heldBytes() > 0);
    socket.resume();
    await until('it is read to its end', () => unread.heldBytes() === 0);
    await until('it has come whole', () => socket.bytesRead > LARGE.length);
  });

  it('hold so much together: the one that waits longest goes first', async () => {
    const { unread, port } = await answering({ maxBytes: 1.5 * LARGE.length });
    const first = await ask(port);
    await until('the first is held', () => unread.heldBytes() > 0);
    const held = unread.heldBytes();
    const second = await ask(port);
    first.resume();
    await once(first, 'close');
    expect(first.bytesRead).to.be.below(LARGE.length);
    expect(unread.heldBytes()).to.be.within(1, held);
    second.resume();
    await until('the second is read', () => unread.heldBytes() === 0);
    await until('it has come whole', () => second.bytesRead > LARGE.length);
  });
});
