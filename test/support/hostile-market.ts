/** Listings whose every text is an attack, or a script that pages seldom see, published as any listing is. */
import { publicationSchema } from '../../src/publishing/publication.ts';
import { publishWithoutDryRun } from '../../src/publishing/publish.ts';
import type { Services } from '../../src/operations/services.ts';

/** At most 80 characters each: they are names too. */
export const HOSTILE_TEXTS: Readonly<Record<string, string>> = {
  script: '</script><script>alert(1)</script><!--',
  markup: '<img src=x onerror=alert(1)><b>bold</b><iframe>',
  quotes: `" onmouseover="alert(1)" x='y' \``,
  'template-and-textarea': '</title></textarea></template><svg onload=alert(1)>',
  'markdown-link': '[x](javascript:alert(1)) ![i](https://evil.example/p.png) [a]: b',
  'markdown-blocks': '# Heading',
  'markdown-list': '- item | cell | `code` ***bold*** ~~gone~~',
  'markdown-number': '1. one',
  'bare-address': 'https://evil.example/ www.evil.example a@evil.example <https://evil.example>',
  entities: '&lt;script&gt;alert(1)&lt;/script&gt; &amp;#60; &copy;',
  'xml-end': ']]></title></entry><entry>',
  'right-to-left': '\u202eشركة التدقيق\u2066 x',
  combining: 'Z\u0338\u0322\u031ba\u0301l\u0308go Re\u0301sume\u0301',
  emoji: '🧾👩‍💻 Ledger 🇩🇪',
  'no-characters': 'a\ufffeb\uffffc',
};

export const HOSTILE_LINK = `https://evil.example/?"onmouseover="alert(1)"'<b>`;

export async function publishHostile({ commands, projector }: Services): Promise<void> {
  const at = new Date().toISOString();
  const entries = Object.entries(HOSTILE_TEXTS);
  const publication = publicationSchema.parse({
    agencies: entries.map(([slug, text]) => ({ slug, ...agency(text) })),
    agents: entries.map(([slug, text]) => ({ slug, agency: slug, ...agent(text, at) })),
    bundles: entries.map(([slug, text]) => ({ slug, agency: slug, ...bundle(text) })),
  });
  const bundleFiles = new Map(
    entries.map(([, text], at) => [
      `bundles.${at}`,
      [{ path: text.replaceAll('/', '|'), size: 1, sha256: 'a'.repeat(64) }],
    ]),
  );
  const call = { at, actor: 'test', requestId: 'test', commandId: 'hostile', remembersFrom: 0 } as const;
  const outcome = await publishWithoutDryRun(commands, { publication, bundleFiles, call });
  if (!outcome.ok)
    throw new Error(outcome.faults.map(({ path, message }) => `${path} ${message}`).join('\n'));
  await projector.caughtUp();
}

function said(text: string): Record<string, string> {
  return { name: text, tagline: text, description: `${text}\n\n${text}` };
}

function agency(text: string): object {
  return {
    ...said(text),
    country: 'DE',
    legalName: text,
    foundedYear: 2020,
    links: { homepage: HOSTILE_LINK },
  };
}

function agent(text: string, at: string): object {
  const evidence = ['identity_record', 'penetration_test', 'benchmark'].map((kind) => ({
    id: kind.replaceAll('_', '-'),
    kind,
    title: text,
    url: HOSTILE_LINK,
    sha256: 'b'.repeat(64),
    issuedBy: text,
    issuedAt: at,
  }));
  const checks = ['legal-identity', 'penetration-test', 'task-benchmark'];
  return {
    ...said(text),
    categories: ['finance'],
    capabilities: ['attacking'],
    autonomyLevel: 3,
    pricing: { model: 'per_task', amountCents: 100, trialPriceCents: 100, currency: 'usd' },
    links: { homepage: HOSTILE_LINK },
    evidence,
    assessments: evidence.map(({ id }, index) => ({
      check: checks[index],
      result: 'pass',
      evidence: [id],
      assessedBy: text,
      note: text,
    })),
  };
}

function bundle(text: string): object {
  return {
    ...said(text),
    version: '1.0',
    categories: ['finance'],
    skills: [{ name: 'attack', description: text }],
    licence: 'Apache-2.0',
    folder: 'bundle',
  };
}
