/** The settings that bound what clients and accounts may do. */
import { setting, wholeNumber } from './setting.ts';

export const limitSettings = {
  publicRateLimit: setting({
    name: 'PUBLIC_RATE_LIMIT',
    schema: wholeNumber(1, 1_000_000_000),
    default: '120',
    expects: 'a whole number of requests, 1 or more',
    description:
      'How many public reads, MCP messages and checkout forms one client address may send in a minute. An IPv6 client counts by its /64.',
  }),
  failedCredentialLimit: setting({
    name: 'FAILED_CREDENTIAL_LIMIT',
    schema: wholeNumber(1, 1_000_000_000),
    default: '30',
    expects: 'a whole number of requests, 1 or more',
    description:
      'How many keys, tokens and signed addresses that are not valid one client address may send in a minute before it is told to wait. Valid ones from there still work.',
  }),
  recordRateLimit: setting({
    name: 'RECORD_RATE_LIMIT',
    schema: wholeNumber(1, 1_000_000_000),
    default: '6000',
    expects: 'a whole number of requests, 1 or more',
    description:
      'How many RECORD_CREATED posts one client address may send in a minute, for all jobs together.',
  }),
  accountRateLimit: setting({
    name: 'ACCOUNT_RATE_LIMIT',
    schema: wholeNumber(1, 1_000_000_000),
    default: '120000',
    expects: 'a whole number of requests, 1 or more',
    description:
      'How many requests one account may send in a minute with all its keys together. Each process counts for itself. Public reads with a key count here and not by their address.',
  }),
  accountDailyTrials: setting({
    name: 'ACCOUNT_DAILY_TRIALS',
    schema: wholeNumber(1, 1_000_000_000),
    default: '200000',
    expects: 'a whole number of trials, 1 or more',
    description:
      'How many trials one account may ask for in a day, denied and repeated ones too. Each process counts for itself. As drafts end after a day, it bounds the open ones too.',
  }),
  accountDailyMib: setting({
    name: 'ACCOUNT_DAILY_MIB',
    schema: wholeNumber(1, 1_000_000_000),
    default: '512',
    expects: 'a whole number of MiB, 1 or more',
    description:
      'How much one account may send in a day in the bodies of its requests, files left out. Each process counts for itself.',
  }),
  maxConnections: setting({
    name: 'MAX_CONNECTIONS',
    schema: wholeNumber(1, 1_000_000),
    default: '10000',
    expects: 'a whole number of connections, 1 or more',
    description: 'How many connections there may be at once; one more is closed at once.',
  }),
  maxConnectionsPerAddress: setting({
    name: 'MAX_CONNECTIONS_PER_ADDRESS',
    schema: wholeNumber(1, 1_000_000),
    default: '512',
    expects: 'a whole number of connections, 1 or more',
    description:
      'How many of them one client address may hold. Not looked at behind proxies (TRUST_PROXY_HOPS), whose connections they all are.',
  }),
} as const;
