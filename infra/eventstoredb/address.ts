/** Takes a connection string apart: what the client is told, what only calls carry, and what people may see of it. */
import type { Credentials } from '@eventstore/db-client';
import { StoreUnavailable } from '../../events/event-store.ts';
import type { Host } from './reachable.ts';

export interface Address {
  /** The hosts, as they were given. */
  readonly place: string;
  readonly hosts: readonly Host[];
  readonly isEncrypted: boolean;
  readonly credentials: Credentials | undefined;
  /** For the client's n-th connection; no password is in it. */
  readonly connectionString: (n: number) => string;
}

/** Credentials and hosts may not hold the characters that end them: whoever needs one encodes it. */
const FORM =
  /^(?<scheme>esdb(?:\+discover)?):\/\/(?:(?<user>[^:@/?#]+):(?<password>[^:@/?#]*)@)?(?<hosts>[\w.-]+(?::\d+)?(?:,[\w.-]+(?::\d+)?)*)\/?(?:\?(?<query>[^@#]*))?$/;

const EXPECTED =
  'the address of EventStoreDB must look like esdb://user:password@host:2113?tls=true, with user and password percent-encoded';

/** Unlike the client's own defaults these end within the deadline of a start when no node answers; given ones go first. */
const DISCOVERY = 'discoveryInterval=200&maxDiscoverAttempts=2&gossipTimeout=2';
const KEEP_ALIVE_TIMEOUT_MS = 10_000;
const DEFAULT_PORT = 2113;

/** @throws {StoreUnavailable} it has not the form of an address, or holds what would be ignored */
export function parseAddress(url: string): Address {
  const { scheme, user, password, hosts, query = '' } = FORM.exec(url.trim())?.groups ?? {};
  if (hosts === undefined) throw new StoreUnavailable(EXPECTED);
  const isEncrypted = !/(?:^|&)tls=false(?:&|$)/i.test(query);
  if (!isEncrypted && user !== undefined) {
    throw new StoreUnavailable(
      'the address of EventStoreDB has a password and tls=false, and passwords are only sent over TLS: take one of them away',
    );
  }
  const asGiven = query === '' ? '' : `&${query}`;
  return {
    place: hosts,
    hosts: hosts.split(',').map(toHost),
    isEncrypted,
    credentials:
      user === undefined ? undefined : new HiddenCredentials(decoded(user), decoded(password ?? '')),
    // gRPC shares one connection among channels of the same options: each of ours has options of its own.
    connectionString: (n) =>
      `${scheme}://${hosts}?${DISCOVERY}${asGiven}&keepAliveTimeout=${KEEP_ALIVE_TIMEOUT_MS + n}`,
  };
}

function toHost(given: string): Host {
  const [host = '', port = DEFAULT_PORT] = given.split(':');
  return { host, port: Number(port) };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new StoreUnavailable(EXPECTED);
  }
}

/** The client prints what its calls are given when `DEBUG` asks it to: of this there is nothing to print. */
class HiddenCredentials implements Credentials {
  readonly #username: string;
  readonly #password: string;

  constructor(username: string, password: string) {
    this.#username = username;
    this.#password = password;
  }

  get username(): string {
    return this.#username;
  }

  get password(): string {
    return this.#password;
  }
}
