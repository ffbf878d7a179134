/** What is looked at when the log is opened, and how to say in one line what is wrong with a server or its address. */
import { StoreUnavailable } from '../../events/event-store.ts';
import type { Address } from './address.ts';
import { serverVersion } from './client-internals.ts';
import { Connection } from './connection.ts';
import { type CallFailure, failureOf, NO_NODE } from './failures.ts';

/** In deadlines of a call: a first connection may have to find the cluster's leader. */
const START_DEADLINES = 2.5;
/** The first that says when a subscription has caught up. KurrentDB goes on from there. */
const OLDEST = { major: 23, minor: 10 };

/** @throws {CallFailure} @throws {StoreUnavailable} the server is too old */
export async function assertRecent(connection: Connection): Promise<void> {
  const deadlineMs = START_DEADLINES * connection.deadlineMs;
  const version = await connection.call((client) => serverVersion(client), { deadlineMs });
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST.major || (major === OLDEST.major && minor >= OLDEST.minor)) return;
  throw new StoreUnavailable(
    `the server is EventStoreDB ${version === 'unknown' ? 'before 21.10' : version}, and Bourse wants ${OLDEST.major}.${OLDEST.minor} or newer`,
  );
}

/**
 * Of a cluster the client says only that no node answers, or nothing in time. Each host is looked at by itself: what is wrong with one that
 * is there is what is wrong, before one that says nothing. Null when all of them are just not there.
 */
export async function soleFailure(address: Address, deadlineMs: number): Promise<StoreUnavailable | null> {
  const looks = address.hosts.map(async (host) => {
    const alone = address.alone(host);
    const connection = new Connection(alone, deadlineMs);
    try {
      await connection.call((client) => serverVersion(client));
      return null;
    } catch (error) {
      const failure = failureOf(error);
      return NOT_THERE.test(failure.message) ? null : { failure, alone };
    } finally {
      await connection.close();
    }
  });
  const found = (await Promise.all(looks)).filter((one) => one !== null);
  const worst = found.find(({ failure }) => failure.reason !== 'silent') ?? found[0];
  return worst === undefined ? null : explained(worst.failure, worst.alone);
}

const NOT_THERE = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|Name resolution failed|EHOSTUNREACH|ETIMEDOUT/;

/** The failure of a start, with what would be right. */
export function explained(
  failure: CallFailure,
  { place, isEncrypted, credentials }: Address,
): StoreUnavailable {
  const why = (message: string): StoreUnavailable => new StoreUnavailable(message, { cause: failure });
  const { reason, message } = failure;
  if (reason === 'silent')
    return why(`${place} accepts connections but does not answer as EventStoreDB does`);
  if (reason === 'denied' && credentials === undefined) {
    return why(
      `${place} wants a user and a password: put them into the address, as in esdb://user:password@host:2113`,
    );
  }
  if (reason === 'stranger')
    return why(`${place} refuses the user ${credentials?.username}: there is none, or the password is wrong`);
  if (/certificate has expired|certificate is not yet valid/i.test(message))
    return why(`the certificate of ${place} is not good today (${message}): renew it, or set the clock`);
  if (/altname/i.test(message)) {
    return why(
      `the certificate of ${place} is for other names (${message}): use one of them in the address, or have it made for this one`,
    );
  }
  if (/certificate|self[- ]signed/i.test(message)) {
    return why(
      `the certificate of ${place} is not trusted (${message}): name the file of its authority by tlsCAFile=… in the address, or by NODE_EXTRA_CA_CERTS`,
    );
  }
  if (/Protocol error|no application protocol/.test(message))
    return why(`what answers at ${place} is not EventStoreDB: its HTTP port (2113) is meant`);
  if (isEncrypted && /SSL|EPROTO|wrong version number|TLS/i.test(message))
    return why(`${place} does not speak TLS: add tls=false to the address if that is meant so`);
  if (/ENOTFOUND|EAI_AGAIN|Name resolution failed/.test(message))
    return why(`the host of ${place} is not known`);
  if (/ECONNREFUSED/.test(message))
    return why(`nothing listens at ${place}: is EventStoreDB started, and is the port its HTTP port (2113)?`);
  if (message === NO_NODE) return why(`${NO_NODE} at ${place}: are hosts, ports and tls right?`);
  const hint = isEncrypted
    ? 'does it speak TLS?'
    : 'does it want TLS? Then take tls=false out of the address';
  return why(`${place} cannot be used (${message}); ${hint}`);
}
