/** The view of changes: one document for each change of the directory, in the order of the log, for mirrors. */
import { z } from 'zod';
import { SCORE_REASONS } from '../events/agent-score.ts';
import type { RecordedEvent } from '../events/event.ts';
import { defineProjection, type Handler } from './projection.ts';
import { nullableTextField, textField, timeField } from './public-fields.ts';

export const DIRECTORY_CHANGES = 'directory-changes';

const CHANGE_KINDS = ['listed', 'revised', 'rescored', 'suspended', 'resumed', 'retired'] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];
const CHANGED_RESOURCES = ['agent', 'agency', 'bundle', 'methodology'] as const;

export const changeDocument = z
  .strictObject({
    position: textField(
      'Where the change stands: pass it as `after` to read on from here. Opaque.',
      '0000000000000042',
    ),
    at: timeField('When it happened.'),
    change: z.enum(CHANGE_KINDS).meta({
      description: 'What happened. `retired` is a tombstone: drop your copy.',
      example: 'rescored',
    }),
    resource: z.enum(CHANGED_RESOURCES).meta({ description: 'To what.', example: 'agent' }),
    slug: textField('To which; for the methodology its version.', 'invoice-matcher'),
    detail: nullableTextField(
      'More about it: the reason of a suspension or score, the version of a bundle.',
      SCORE_REASONS[2],
    ),
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
    AgentPublished: noting(({ agent }) => what('listed', 'agent', agent)),
    AgentRevised: noting(({ agent }) => what('revised', 'agent', agent)),
    AgentScored: noting(({ agent, reason }) => what('rescored', 'agent', agent, reason)),
    AgentSuspended: noting(({ agent, reason }) => what('suspended', 'agent', agent, reason)),
    AgentResumed: noting(({ agent }) => what('resumed', 'agent', agent)),
    AgentRetired: noting(({ agent, reason }) => what('retired', 'agent', agent, reason)),
    AgencyRegistered: noting(({ agency }) => what('listed', 'agency', agency)),
    AgencyRevised: noting(({ agency }) => what('revised', 'agency', agency)),
    BundleVersionPublished: noting(({ bundle, version, previousVersion }) =>
      what(previousVersion === null ? 'listed' : 'revised', 'bundle', bundle, version),
    ),
    BundleRetired: noting(({ bundle, reason }) => what('retired', 'bundle', bundle, reason)),
    MethodologyPublished: noting(({ methodology }) =>
      what(methodology.changeLog.length === 1 ? 'listed' : 'revised', 'methodology', methodology.version),
    ),
  },
  index: (doc) => ({ position: doc.position }),
});

function noting<Data extends object>(
  whatOf: (data: Data) => What,
): Handler<ChangeDocument, Pick<RecordedEvent, 'position' | 'at'> & { readonly data: Data }> {
  return {
    keys: ({ position }) => [position],
    apply: (_, { position, at, data }) => ({ position, at, ...whatOf(data) }),
  };
}

function what(
  change: ChangeKind,
  resource: ChangeDocument['resource'],
  slug: string,
  detail: string | null = null,
): What {
  return { change, resource, slug, detail };
}
