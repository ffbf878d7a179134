/** The view of changes: one document for each change of the directory, in the order of the log, for mirrors. */
import { z } from 'zod';
import { SCORE_REASONS } from '../events/agent-score.ts';
import type { RecordedEvent } from '../events/event.ts';
import { defineProjection, type Handler } from './projection.ts';
import { timeField } from './public-fields.ts';

export const DIRECTORY_CHANGES = 'directory-changes';

const CHANGE_KINDS = ['listed', 'revised', 'rescored', 'suspended', 'resumed', 'retired'] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];
const CHANGED_RESOURCES = ['agent', 'agency', 'bundle', 'methodology'] as const;

export const changeDocument = z
  .strictObject({
    position: z.string().meta({
      description: 'Where the change stands: pass it as `after` to read on from here. Opaque.',
      example: '0000000000000042',
    }),
    at: timeField('When it happened.'),
    change: z.enum(CHANGE_KINDS).meta({
      description: 'What happened. `retired` is a tombstone: drop your copy.',
      example: 'rescored',
    }),
    resource: z.enum(CHANGED_RESOURCES).meta({ description: 'To what.', example: 'agent' }),
    slug: z
      .string()
      .meta({ description: 'To which; for the methodology its version.', example: 'invoice-matcher' }),
    detail: z.string().nullable().meta({
      description: 'More about it: the reason of a suspension or score, the version of a bundle.',
      example: SCORE_REASONS[2],
    }),
  })
  .meta({ id: 'Change', description: 'One change of the directory.' });
export type ChangeDocument = z.output<typeof changeDocument>;

type What = Pick<ChangeDocument, 'change' | 'resource' | 'slug' | 'detail'>;

export const directoryChanges = defineProjection<ChangeDocument>({
  name: DIRECTORY_CHANGES,
  version: 1,
  summary: 'What was listed, revised, re-scored, suspended or retired, in order.',
  schema: changeDocument,
  fields: { position: 'text' },
  orders: { position: [{ field: 'position', direction: 'asc' }] },
  on: {
    AgentPublished: noting(({ agent }) => ofAgent('listed', agent, null)),
    AgentRevised: noting(({ agent }) => ofAgent('revised', agent, null)),
    AgentScored: noting(({ agent, reason }) => ofAgent('rescored', agent, reason)),
    AgentSuspended: noting(({ agent, reason }) => ofAgent('suspended', agent, reason)),
    AgentResumed: noting(({ agent }) => ofAgent('resumed', agent, null)),
    AgentRetired: noting(({ agent, reason }) => ofAgent('retired', agent, reason)),
    AgencyRegistered: noting(({ agency }) => ({
      change: 'listed',
      resource: 'agency',
      slug: agency,
      detail: null,
    })),
    AgencyRevised: noting(({ agency }) => ({
      change: 'revised',
      resource: 'agency',
      slug: agency,
      detail: null,
    })),
    BundleVersionPublished: noting(({ bundle, version, previousVersion }) => ({
      change: previousVersion === null ? 'listed' : 'revised',
      resource: 'bundle',
      slug: bundle,
      detail: version,
    })),
    BundleRetired: noting(({ bundle, reason }) => ({
      change: 'retired',
      resource: 'bundle',
      slug: bundle,
      detail: reason,
    })),
    MethodologyPublished: noting(({ methodology }) => ({
      change: methodology.changeLog.length === 1 ? 'listed' : 'revised',
      resource: 'methodology',
      slug: methodology.version,
      detail: null,
    })),
  },
  index: (doc) => ({ position: doc.position }),
});

function noting<Data extends object>(
  what: (data: Data) => What,
): Handler<ChangeDocument, Pick<RecordedEvent, 'position' | 'at'> & { readonly data: Data }> {
  return {
    keys: ({ position }) => [position],
    apply: (_, { position, at, data }) => ({ position, at, ...what(data) }),
  };
}

function ofAgent(change: ChangeKind, slug: string, detail: string | null): What {
  return { change, resource: 'agent', slug, detail };
}
