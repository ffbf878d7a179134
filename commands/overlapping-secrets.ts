/** Secrets that follow one another with an overlap: each counts until a day after the next one was issued. */
export const SECRET_OVERLAP_MS = 24 * 60 * 60 * 1_000;
/** Each adds a signature to every message. */
export const MAX_SECRETS = 5;

export interface IssuedSecret {
  readonly version: number;
  readonly at: string;
}

/** More than a rotation a day ever needs, the newest last. Those before them are over, or never counted. */
export type IssuedSecrets = readonly IssuedSecret[];

export function withSecret(issued: IssuedSecrets, version: number, at: string): IssuedSecrets {
  return [...issued, { version, at }].slice(-MAX_SECRETS);
}

/** 0 where none was issued yet. */
export function newestVersion(issued: IssuedSecrets): number {
  return issued.at(-1)?.version ?? 0;
}

/** The versions that count at this time, the newest first. */
export function secretsInForce(issued: IssuedSecrets, at: string): readonly number[] {
  return issued
    .filter((_, place) => at < endOf(issued, place))
    .map(({ version }) => version)
    .toReversed();
}

/** One more would end a secret before its time, or make messages long. */
export interface TooManySecrets {
  readonly kind: 'too_many_secrets';
  /** When the oldest of those that count ends. */
  readonly until: string;
}

/** The version of one more secret, or why there may be none now. */
export function nextVersion(issued: IssuedSecrets, at: string): number | TooManySecrets {
  if (secretsInForce(issued, at).length < MAX_SECRETS) return newestVersion(issued) + 1;
  return { kind: 'too_many_secrets', until: endOf(issued, 0) };
}

/** The newest has no end yet: as a text it sorts after every time. */
function endOf(issued: IssuedSecrets, place: number): string {
  const next = issued[place + 1];
  return next === undefined ? '~' : new Date(Date.parse(next.at) + SECRET_OVERLAP_MS).toISOString();
}
