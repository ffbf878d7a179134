/**
 * Who may do what: the access list in a stream's metadata, then the defaults in `$settings`, then those of the server,
 * with anonymous access switched off as it is since 23.10.
 * Source: LegacyAuthorizationWithStreamAuthorizationDisabledFactory.cs, SystemAccounts.cs and StreamAcl.cs.
 */
import type { Metadata, ServiceError } from '@grpc/grpc-js';
import type { Ledger } from './ledger.ts';
import { accessDenied, unauthenticated } from './rpc-errors.ts';
import { type AccessList, metadataOf, objectIn } from './stream-metadata.ts';
import { originalOf } from './stream-names.ts';

export interface Credentials {
  readonly username: string;
  readonly password: string;
  /** Whether it may do all, as who is of the group `$admins`. */
  readonly isAdmin: boolean;
}

export type Caller =
  | { readonly kind: 'admin' }
  | { readonly kind: 'user'; readonly name: string }
  /** Came without credentials. */
  | { readonly kind: 'nobody' }
  /** Came with wrong ones. */
  | { readonly kind: 'stranger' };

export type Right = 'read' | 'write' | 'delete';

/** The user that every server has. */
export const ADMIN: Credentials = { username: 'admin', password: 'changeit', isAdmin: true };

/** On a server that asks for no credentials everybody is an administrator, as with `--insecure`. */
export function callerOf(metadata: Metadata, users: readonly Credentials[] | null): Caller {
  if (users === null) return { kind: 'admin' };
  const [header] = metadata.get('authorization');
  if (header === undefined) return { kind: 'nobody' };
  const user = users.find(({ username, password }) => {
    return header === `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  });
  if (user === undefined) return { kind: 'stranger' };
  return user.isAdmin ? { kind: 'admin' } : { kind: 'user', name: user.username };
}

/** Why the caller may not do that to `stream` (or `$all`); null when it may. */
export function refusedAccess(
  ledger: Ledger,
  caller: Caller,
  stream: string,
  right: Right,
): ServiceError | null {
  switch (caller.kind) {
    case 'admin':
      return null;
    case 'user':
      return allowed(ledger, stream, right).some((name) => name === caller.name || name === EVERYBODY)
        ? null
        : accessDenied();
    case 'nobody':
      return accessDenied();
    case 'stranger':
      return unauthenticated();
  }
}

const EVERYBODY = '$all';
const ADMINS = '$admins';

/** The users and groups that have this right. */
function allowed(ledger: Ledger, stream: string, right: Right): readonly string[] {
  const original = originalOf(stream);
  const key = keyOf(right, original !== null);
  const subject = original ?? stream;
  const list = metadataOf(ledger, subject).$acl?.[key] ?? defaults(ledger, subject)[key];
  if (list === undefined) return [subject.startsWith('$') ? ADMINS : EVERYBODY];
  return typeof list === 'string' ? [list] : list;
}

/** To read or write a metastream is to read or write the metadata of its stream. */
function keyOf(right: Right, isMetastream: boolean): keyof AccessList {
  switch (right) {
    case 'read':
      return isMetastream ? '$mr' : '$r';
    case 'write':
      return isMetastream ? '$mw' : '$w';
    case 'delete':
      return isMetastream ? '$mw' : '$d';
  }
}

interface Settings {
  readonly $userStreamAcl?: AccessList;
  readonly $systemStreamAcl?: AccessList;
}

function defaults(ledger: Ledger, stream: string): AccessList {
  const settings: Settings = objectIn(ledger.stream('$settings').at(-1));
  return (stream.startsWith('$') ? settings.$systemStreamAcl : settings.$userStreamAcl) ?? {};
}
