/**
 * Why Redis failed, in one line for people. Errors of the client never leave this folder: they carry the command with
 * its arguments, and with them passwords and bodies.
 */
const EXPLAINED: readonly (readonly [RegExp, string])[] = [
  [/^WRONGPASS|^NOPERM .*'hello'/, 'the user or the password is wrong'],
  [/^NOAUTH/, 'it wants a password, and the address has none'],
  [/Command timed out|^Socket timeout/, 'it accepts connections and says nothing'],
  [/RESP type|^Protocol error/, 'what answers there is no Redis without TLS'],
  [/before secure TLS connection|SSL routines/, 'it speaks no TLS'],
  // Ours is the connection's deadline, and a server without TLS waits for more of what it takes for a command.
  [/^connect ETIMEDOUT$/, 'there is no connection, or it speaks no TLS where the address begins with rediss'],
];

export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const [line = ''] = error.message.split('\n');
  const known = EXPLAINED.find(([pattern]) => pattern.test(line));
  if (known !== undefined) return known[1];
  // An attempt at several addresses of a name has a code and no message.
  return line || ('code' in error ? String(error.code) : error.name);
}
