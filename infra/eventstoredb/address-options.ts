/** The options of a connection string, as KurrentDB documents them: kept, or refused in one line. None is ignored. */
import { StoreUnavailable } from '../../events/event-store.ts';

export interface AddressOptions {
  readonly isEncrypted: boolean;
  readonly keepAliveTimeoutMs?: number;
  /** For the client, each with `&` before it. */
  readonly text: string;
}

type Meaning =
  /** The client does as it says. */
  | 'kept'
  /** It asks for what is done anyway, and for nothing else. */
  | { readonly only: string; readonly why: string }
  | { readonly refused: string };

/** By the name in lower case: names are taken however they are written. */
const MEANINGS: Readonly<Record<string, Meaning>> = {
  tls: 'kept',
  tlscafile: 'kept',
  usercertfile: 'kept',
  userkeyfile: 'kept',
  connectionname: 'kept',
  maxdiscoverattempts: 'kept',
  discoveryinterval: 'kept',
  gossiptimeout: 'kept',
  keepaliveinterval: 'kept',
  keepalivetimeout: 'kept',
  nodepreference: { only: 'leader', why: 'only the leader knows what was appended a moment ago' },
  tlsverifycert: {
    only: 'true',
    why: 'certificates are always checked: name the file of their authority by tlsCAFile=… instead',
  },
  defaultdeadline: { refused: 'each call has a deadline that fits it' },
  throwonappendfailure: { refused: 'appends are made another way' },
};
const MIN_KEEP_ALIVE_INTERVAL_MS = 10_000;

/** @throws {StoreUnavailable} one of them is not known, or cannot be kept */
export function optionsOf(query: string): AddressOptions {
  const options = new Map<string, string>();
  for (const option of query.split('&').filter((one) => one !== '')) {
    const [name = '', value = ''] = option.split(/=(.*)/s);
    const key = name.toLowerCase();
    const meaning = MEANINGS[key];
    if (meaning === undefined) refuse(`the option ${name}`, 'there is none of this name');
    if (value === '') refuse(option, 'it has no value');
    if (meaning === 'kept') options.set(key, value);
    else if ('refused' in meaning) refuse(option, meaning.refused);
    else if (value.toLowerCase() !== meaning.only) refuse(option, meaning.why);
  }
  const tls = options.get('tls') ?? 'true';
  if (!/^(?:true|false)$/i.test(tls)) refuse(`tls=${tls}`, 'true or false is meant');
  const interval = options.get('keepaliveinterval');
  if (interval !== undefined && interval !== '-1' && !(Number(interval) >= MIN_KEEP_ALIVE_INTERVAL_MS))
    refuse(`keepAliveInterval=${interval}`, `-1 or at least ${MIN_KEEP_ALIVE_INTERVAL_MS} is meant`);
  const timeout = options.get('keepalivetimeout');
  if (timeout !== undefined && !(Number(timeout) > 0))
    refuse(`keepAliveTimeout=${timeout}`, 'milliseconds are meant');
  options.delete('keepalivetimeout');
  return {
    isEncrypted: tls.toLowerCase() === 'true',
    ...(timeout === undefined ? {} : { keepAliveTimeoutMs: Number(timeout) }),
    // Of names the client takes any case, of true and false only the lower one.
    text: [...options].map(([key, value]) => `&${key}=${key === 'tls' ? tls.toLowerCase() : value}`).join(''),
  };
}

function refuse(what: string, why: string): never {
  throw new StoreUnavailable(`the address of EventStoreDB has ${what}, which cannot be kept: ${why}`);
}
