/** Where a Redis is and how to get in, taken from an address such as `rediss://user:password@host:6379/0`. */
import { QueueUnavailable } from '../../src/ports/queue.ts';

export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly username?: string;
  readonly password?: string;
  readonly db: number;
  readonly isTls: boolean;
  /** For people to read, without user and password. */
  readonly shown: string;
}

const DEFAULT_PORT = 6_379;

/** @throws {QueueUnavailable} it is no such address; the message does not repeat it, as a password may be in it */
export function parseAddress(url: string): RedisAddress {
  const address = read(url);
  if (address === null)
    throw new QueueUnavailable('the address of Redis is not like rediss://:password@redis.example:6379/0');
  return address;
}

function read(url: string): RedisAddress | null {
  try {
    const { protocol, hostname, port, username, password, pathname, search } = new URL(url);
    const db = /^\/?(?<db>\d{0,4})$/.exec(pathname)?.groups?.['db'];
    if (!/^rediss?:$/.test(protocol) || hostname === '' || db === undefined || search !== '') return null;
    return {
      // An address of IP version 6 stands in brackets.
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port || DEFAULT_PORT),
      ...(username !== '' && { username: decodeURIComponent(username) }),
      ...(password !== '' && { password: decodeURIComponent(password) }),
      db: Number(db),
      isTls: protocol === 'rediss:',
      shown: `${protocol}//${hostname}:${port || DEFAULT_PORT}/${Number(db)}`,
    };
  } catch {
    return null;
  }
}
