import { z } from 'zod';
import type { AgentDocument } from '../../../projections/agent-document.ts';
import { AGENT_DIRECTORY } from '../../../projections/agent-directory.ts';
import type { BundleSummary } from '../../../projections/bundle-document.ts';
import { BUNDLES } from '../../../projections/bundles.ts';
import { RELEVANCE } from '../../../projections/page-query.ts';
import type { Asking, PageQuery, ViewStore } from '../../../projections/view-store.ts';
import { wordsOf } from '../../../projections/words.ts';
import { defineOperation } from '../operation.ts';
import { parseDocument } from '../../../projections/stored-document.ts';
import { exampleAgent } from './example-market.ts';
import { directoryRead } from './fields.ts';
import { documentId, documentTitle, documentUrl, titleOf } from './market-document.ts';
import { textField } from '../../../projections/public-fields.ts';

/** Each word is a search of its own in each view. */
const MAX_WORDS = 8;
const MAX_RESULTS = 20;

const resultSchema = z.strictObject({
  id: documentId,
  title: documentTitle,
  url: documentUrl,
  text: textField('Of what it is about, in short.', exampleAgent.tagline),
});
type Result = z.output<typeof resultSchema>;

export const searchDocuments = defineOperation({
  ...directoryRead,
  name: 'searchDocuments',
  summary: 'Find agents and bundles by a question in plain words.',
  description: 'What matches more of the words comes first; not every word must match.',
  input: z.strictObject({
    query: z
      .string()
      .min(1)
      .max(500)
      .meta({ description: 'What is looked for, in plain words.', example: 'match invoices with payments' }),
  }),
  output: z.strictObject({
    results: z.array(resultSchema).meta({ description: 'The best matches, at most 20.' }),
  }),
  refusals: [],
  example: {
    input: { query: 'match invoices with payments' },
    output: {
      results: [
        {
          id: `agents/${exampleAgent.slug}`,
          title: titleOf(exampleAgent),
          url: `http://localhost:8080/agents/${exampleAgent.slug}`,
          text: exampleAgent.tagline,
        },
      ],
    },
  },
  async run({ query }, call, { views, baseUrl }) {
    const words = wordsOf(query).slice(0, MAX_WORDS);
    const [agents, bundles] = await Promise.all([
      matchesIn(views, AGENT_DIRECTORY, { status: 'listed' }, words, call),
      matchesIn(views, BUNDLES, {}, words, call),
    ]);
    const found = [
      ...shown<AgentDocument>('agents', agents, baseUrl),
      ...shown<BundleSummary>('bundles', bundles, baseUrl),
    ];
    const best = found.sort((one, other) => other.matched - one.matched).slice(0, MAX_RESULTS);
    return { ok: true, data: { results: best.map(({ result }) => result) } };
  },
});

/** Stored rows, each with how many searches found it: one for all words together, and one for each of them. */
type Matches = ReadonlyMap<string, number>;

async function matchesIn(
  views: ViewStore,
  view: string,
  filter: PageQuery['filter'],
  words: readonly string[],
  asking: Asking,
): Promise<Matches> {
  const searches = [words, ...words.map((word) => [word])];
  const pages = await Promise.all(
    searches.map((search) =>
      views.page(view, { filter, order: RELEVANCE, limit: MAX_RESULTS, words: search }, asking),
    ),
  );
  const matches = new Map<string, number>();
  for (const { rows } of pages) for (const row of rows) matches.set(row, (matches.get(row) ?? 0) + 1);
  return matches;
}

function shown<Listing extends { readonly slug: string; readonly name: string; readonly tagline: string }>(
  kind: 'agents' | 'bundles',
  matches: Matches,
  baseUrl: string,
): { readonly matched: number; readonly result: Result }[] {
  return [...matches].map(([row, matched]) => {
    const listing = parseDocument<Listing>(row);
    const id = `${kind}/${listing.slug}`;
    return {
      matched,
      result: { id, title: titleOf(listing), url: `${baseUrl}/${id}`, text: listing.tagline },
    };
  });
}
