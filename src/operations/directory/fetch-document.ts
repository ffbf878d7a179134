import { z } from 'zod';
import type { AgentDocument } from '../../../projections/agent-document.ts';
import { AGENT_DIRECTORY } from '../../../projections/agent-directory.ts';
import type { BundleDocument } from '../../../projections/bundle-document.ts';
import { BUNDLE_MANIFESTS } from '../../../projections/bundles.ts';
import { verificationRecords } from '../../../projections/verification-records.ts';
import type { ViewStore } from '../../../projections/view-store.ts';
import { defineOperation } from '../operation.ts';
import { readView } from '../read-view.ts';
import { parseDocument } from '../../../projections/stored-document.ts';
import { exampleAgent, exampleRecord } from './example-market.ts';
import { directoryRead, nothingAt } from './fields.ts';
import { agentText, bundleText, documentId, documentTitle, documentUrl, titleOf } from './market-document.ts';
import { textField } from '../../../projections/public-fields.ts';

export const fetchDocument = defineOperation({
  ...directoryRead,
  name: 'fetchDocument',
  summary: 'One agent or bundle as a document to read and to cite.',
  description: 'The same facts as its page and its JSON, in words.',
  input: z.strictObject({ id: documentId }),
  output: z.strictObject({
    id: documentId,
    title: documentTitle,
    text: textField('All of it, in words.', exampleAgent.description),
    url: documentUrl,
    metadata: z
      .strictObject({
        kind: z.enum(['agent', 'bundle']).meta({ description: 'What it is.', example: 'agent' }),
        updatedAt: textField('When the listing changed last.', exampleAgent.updatedAt),
      })
      .meta({ description: 'What is known of the document itself.' }),
  }),
  refusals: ['not_found'],
  example: {
    input: { id: `agents/${exampleAgent.slug}` },
    output: {
      id: `agents/${exampleAgent.slug}`,
      title: titleOf(exampleAgent),
      text: agentText(exampleAgent, exampleRecord),
      url: `http://localhost:8080/agents/${exampleAgent.slug}`,
      metadata: { kind: 'agent', updatedAt: exampleAgent.updatedAt },
    },
  },
  async run({ id }, _call, { views, baseUrl }) {
    const slug = id.slice(id.indexOf('/') + 1);
    const found = id.startsWith('agents/') ? await agent(views, slug) : await bundle(views, slug);
    if (found === undefined) return nothingAt('document', id);
    const { kind, listing, text, updatedAt } = found;
    const metadata = { kind, updatedAt };
    return { ok: true, data: { id, title: titleOf(listing), text, url: `${baseUrl}/${id}`, metadata } };
  },
});

async function agent(views: ViewStore, slug: string) {
  const [row, record] = await Promise.all([
    views.getJson(AGENT_DIRECTORY, slug),
    readView(views, verificationRecords, slug),
  ]);
  if (row === undefined) return undefined;
  const listing = parseDocument<AgentDocument>(row);
  const { updatedAt } = listing;
  return { kind: 'agent', listing, text: agentText(listing, record), updatedAt } as const;
}

async function bundle(views: ViewStore, slug: string) {
  const row = await views.getJson(BUNDLE_MANIFESTS, slug);
  if (row === undefined) return undefined;
  const listing = parseDocument<BundleDocument>(row);
  return { kind: 'bundle', listing, text: bundleText(listing), updatedAt: listing.publishedAt } as const;
}
