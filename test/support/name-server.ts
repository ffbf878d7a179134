/** A DNS server on this machine (RFC 1035), which tells of each name at its own pace, or never. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

export interface NameServer {
  /** `address:port`. */
  readonly address: string;
  /** Each name that was asked for, once. */
  readonly asked: ReadonlySet<string>;
  readonly close: () => Promise<void>;
}

const TYPE_A = 1;
const QUESTION_AT = 12;
const LOOPBACK = [127, 0, 0, 1];
/** Of the answer: a pointer to the name in the question, type A, class IN, five seconds, four bytes. */
const ANSWER = [0xc0, QUESTION_AT, 0, TYPE_A, 0, 1, 0, 0, 0, 5, 0, LOOPBACK.length, ...LOOPBACK];

/** Every name is this machine's. @param pauseMs how long a name takes; Infinity: nobody ever answers */
export async function startNameServer(pauseMs: (name: string) => number): Promise<NameServer> {
  const asked = new Set<string>();
  const pauses = new Set<NodeJS.Timeout>();
  const socket = createSocket('udp4');
  socket.on('message', (query, { address, port }) => {
    const { name, type, end } = questionOf(query);
    asked.add(name);
    const ms = pauseMs(name);
    if (ms === Infinity) return;
    const answer = answerTo(query.subarray(0, end), type === TYPE_A);
    const pause = setTimeout(() => {
      pauses.delete(pause);
      socket.send(answer, port, address);
    }, ms);
    pauses.add(pause);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    async close() {
      for (const pause of pauses) clearTimeout(pause);
      const closed = once(socket, 'close');
      socket.close();
      await closed;
    },
  };
}

/** What is asked, and where the question ends in the message. */
function questionOf(query: Buffer): { readonly name: string; readonly type: number; readonly end: number } {
  const labels: string[] = [];
  let at = QUESTION_AT;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** The question and, where there is one, its answer. Whatever else stood in the message (EDNS) is left out. */
function answerTo(question: Buffer, isFound: boolean): Buffer {
  const answer = Buffer.concat([question, Buffer.from(isFound ? ANSWER : [])]);
  // A response to the query, by a server that recurses: no error; one question, one answer or none, nothing more.
  answer.set([0x81, 0x80, 0, 1, 0, isFound ? 1 : 0, 0, 0, 0, 0], 2);
  return answer;
}
