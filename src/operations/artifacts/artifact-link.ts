/** Addresses that open one file for a quarter of an hour: signed over the file and the end of their time. */
import type { Services } from '../services.ts';

const LINK_SECONDS = 15 * 60;
const NUMBER = /^[1-9]\d{0,11}$/;

export interface ArtifactLink {
  readonly url: string;
  readonly urlExpiresAt: string;
}

export function artifactLink(
  { baseUrl, signer }: Pick<Services, 'baseUrl' | 'signer'>,
  artifactId: string,
  at: string,
): ArtifactLink {
  const exp = Math.floor(Date.parse(at) / 1_000) + LINK_SECONDS;
  const sig = signer.sign('artifact', subjectOf(artifactId, String(exp)));
  return {
    url: `${baseUrl}/artifacts/${artifactId}?exp=${exp}&sig=${sig}`,
    urlExpiresAt: new Date(exp * 1_000).toISOString(),
  };
}

/** Whether we made this link and its time is not over. */
export function isGoodLink(
  { signer }: Pick<Services, 'signer'>,
  artifactId: string,
  { exp, sig }: { readonly exp: string; readonly sig: string },
  at: string,
): boolean {
  const isOurs = signer.verify('artifact', subjectOf(artifactId, exp), sig);
  return isOurs && NUMBER.test(exp) && Number(exp) * 1_000 > Date.parse(at);
}

function subjectOf(artifactId: string, exp: string): string {
  return `${artifactId}\n${exp}`;
}
