/** Who may do what: the server's default policy, with anonymous access switched off as it is by default since 23.10. */
import type { Metadata, ServiceError } from '@grpc/grpc-js';
import { accessDenied, unauthenticated } from './rpc-errors.ts';

export interface Credentials {
  readonly username: string;
  readonly password: string;
  /** Whether it may read `$all` and what else begins with `$`, which only administrators may by default. */
  readonly isAdmin: boolean;
}

/** Who a caller is: `nobody` came without credentials, a `stranger` with wrong ones. */
export type Caller = 'admin' | 'user' | 'nobody' | 'stranger';

/** On a server that asks for no credentials everybody is an administrator, as with `--insecure`. */
export function callerOf(metadata: Metadata, credentials: Credentials | null): Caller {
  if (credentials === null) return 'admin';
  const [header] = metadata.get('authorization');
  if (header === undefined) return 'nobody';
  const { username, password, isAdmin } = credentials;
  const right = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  if (header !== right) return 'stranger';
  return isAdmin ? 'admin' : 'user';
}

/** Why the caller may not touch `stream` (or `$all`); null when it may. */
export function refusedAccess(caller: Caller, stream: string): ServiceError | null {
  switch (caller) {
    case 'admin':
      return null;
    case 'user':
      return stream.startsWith('$') ? accessDenied() : null;
    case 'nobody':
      return accessDenied();
    case 'stranger':
      return unauthenticated();
  }
}
