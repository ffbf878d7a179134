/**
 * Why Redis failed, in one line for people. Errors of the client never leave this folder: they carry the command with
 * its arguments, and with them passwords and bodies.
 */
const CLOSED = 'it closed the connection';
const EXPLAINED: readonly (readonly [RegExp, string])[] = [
  [/^WRONGPASS|^NOPERM .*'hello'/, 'the user or the password is wrong'],
  [/^NOAUTH/, 'it wants a password, and the address has none'],
  [/^OOM/, 'its memory is full: raise maxmemory, or find what fills it'],
  [/^READONLY/, 'it is a replica and takes no writes: point REDIS_URL at the primary'],
  [/^MISCONF/, 'it cannot save its data: see that its disk has room and works'],
  [/^NOREPLICAS/, 'it has too few replicas to take writes: see min-replicas-to-write'],
  [/Command timed out|^Socket timeout/, 'it accepts connections and says nothing'],
  [/RESP type|^Protocol error/, 'what answers there is no Redis, or wants TLS'],
  [/EPIPE|ECONNRESET/, CLOSED],
  [
    /self-signed certificate|unable to (verify|get)/,
    'its certificate is not trusted: name the file of its authority by NODE_EXTRA_CA_CERTS',
  ],
  [/before secure TLS connection|SSL routines/, 'it speaks no TLS'],
  // Ours is the connection's deadline, and a server without TLS waits for more of what it takes for a command.
  [/^connect ETIMEDOUT$/, 'there is no connection, or it speaks no TLS where the address begins with rediss'],
];

/** Of a connection that never came about. Undefined where it was closed without a word. */
export function whyNotOpened(error: unknown): string {
  const why = error === undefined ? CLOSED : reasonOf(error);
  return why === CLOSED ? `${CLOSED}: perhaps it wants TLS, or is no Redis` : why;
}

export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const [line = ''] = error.message.split('\n');
  const known = EXPLAINED.find(([pattern]) => pattern.test(line));
  if (known !== undefined) return known[1];
  // An attempt at several addresses of a name has a code and no message.
  return line || ('code' in error ? String(error.code) : error.name);
}
