/** Takes a connection string apart: what the client is told, what only calls carry, and what people may see of it. */
import type { Credentials } from '@eventstore/db-client';
import { StoreUnavailable } from '../../events/event-store.ts';
import { optionsOf } from './address-options.ts';
import type { Host } from './reachable.ts';

export interface Address {
  /** The hosts, as they were given. */
  readonly place: string;
  readonly hosts: readonly Host[];
  readonly isEncrypted: boolean;
  readonly credentials: Credentials | undefined;
  /**
   * For the client's n-th connection; no password is in it.
   * @param members to be asked who leads, in place of the hosts that were given
   */
  readonly connectionString: (n: number, members?: readonly Host[]) => string;
  /** One of its hosts, by itself. */
  readonly alone: (host: Host) => Address;
}

/** Credentials and hosts may not hold the characters that end them: whoever needs one encodes it. */
const FORM =
  /^(?<scheme>(?:esdb|kurrentdb)(?:\+discover)?):\/\/(?:(?<user>[^:@/?#]+):(?<password>[^:@/?#]*)@)?(?<hosts>[\w.-]+(?::\d+)?(?:,[\w.-]+(?::\d+)?)*)\/?(?:\?(?<query>[^@#]*))?$/;

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
  const { isEncrypted, text, keepAliveTimeoutMs = KEEP_ALIVE_TIMEOUT_MS } = optionsOf(query);
  if (!isEncrypted && user !== undefined) {
    throw new StoreUnavailable(
      'the address of EventStoreDB has a password and tls=false, and passwords are only sent over TLS: take one of them away',
    );
  }
  const credentials =
    user === undefined ? undefined : new HiddenCredentials(decoded(user), decoded(password ?? ''));
  const at = (places: readonly Host[], isDiscovered: boolean): Address => ({
    place: places.map(toText).join(','),
    hosts: places,
    isEncrypted,
    credentials,
    // gRPC shares one connection among channels of the same options: each of ours has options of its own.
    connectionString: (n, members = places) => {
      // Of several hosts to be asked for the others the client would ask the first alone, unless they are a cluster.
      const scheme = isDiscovered && members.length === 1 ? 'esdb+discover' : 'esdb';
      const named = members.map(toText).join(',');
      return `${scheme}://${named}?${DISCOVERY}${text}&keepAliveTimeout=${keepAliveTimeoutMs + n}`;
    },
    alone: (host) => at([host], false),
  });
  return at(hosts.split(',').map(toHost), scheme?.endsWith('+discover') ?? false);
}

function toText({ host, port }: Host): string {
  return `${host}:${port}`;
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
