/** Who may do what: the server's default policy, with anonymous access switched off as it is since 23.10. */
import type { Metadata, ServiceError } from '@grpc/grpc-js';
import { accessDenied, unauthenticated } from './rpc-errors.ts';

export interface Credentials {
  readonly username: string;
  readonly password: string;
  /** Whether `$all` may be read, which only administrators may by default (true unless said otherwise). */
  readonly isAdmin?: boolean;
}

/** Null when the caller may; `what` is the stream, or `$all`. Without credentials to compare with, all may. */
export function refusedAccess(
  metadata: Metadata,
  credentials: Credentials | null,
  what: string,
): ServiceError | null {
  if (credentials === null) return null;
  const [header] = metadata.get('authorization');
  if (header === undefined) return accessDenied();
  const { username, password, isAdmin = true } = credentials;
  const right = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  if (header !== right) return unauthenticated();
  return what.startsWith('$') && !isAdmin ? accessDenied() : null;
}
