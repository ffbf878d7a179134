import { expect } from 'chai';
import type { PlacedEvent } from '../../events/event.ts';
import { agentDirectory } from '../../projections/agent-directory.ts';
import { agentDocument } from '../../projections/agent-document.ts';
import { replay } from '../../projections/replay.ts';
import { inLogOrder } from '../../src/operations/directory/example-history.ts';
import { agentEvents, jobEvent } from '../support/directory-history.ts';
import {
  AGENT,
  assess,
  DAY_1,
  DAY_2,
  DAY_3,
  daysAfter,
  evidence,
  finding,
  publish,
  rescore,
  submit,
} from '../support/sample-directory.ts';

type Streams = readonly (readonly PlacedEvent[])[];

function documentAfter(...streams: Streams) {
  return replay(agentDirectory, inLogOrder(...streams)).get(AGENT);
}
const fieldsAfter = (...streams: Streams) => {
  const document = documentAfter(...streams);
  if (document === undefined) throw new Error('the agent is not in the view');
  return agentDirectory.index(document);
};

const published = [DAY_1, publish()] as const;
const verified = [
  published,
  [DAY_1, submit(evidence('doc'))],
  [DAY_2, assess(finding('benchmark', 'pass', ['doc']))],
] as const;

describe('The agent directory', () => {
  it('shows a listing exactly as the reference describes it', () => {
    const document = documentAfter(agentEvents(...verified));
    expect(agentDocument.parse(JSON.parse(JSON.stringify(document)))).to.deep.equal(document);
    expect(document).to.deep.include({
      slug: AGENT,
      agency: { slug: 'ledgerworks', name: 'Ledgerworks' },
      publishedAt: DAY_1,
      updatedAt: DAY_2,
      revision: 4,
      verification: {
        tier: 'listed',
        trustScore: 50,
        methodologyVersion: '1.0',
        verifiedAt: DAY_2,
        validUntil: daysAfter(DAY_1, 50),
        checks: { passed: 1, partial: 0, failed: 0, notAssessed: 2 },
        evidenceCount: 1,
      },
    });
  });

  it('keeps the order of its fields, whatever changed last', () => {
    const document = documentAfter(
      agentEvents(...verified, [DAY_3, publish({ name: 'Renamed' })]),
      jobEvent('JobCompleted', DAY_3),
    );
    const order = Object.keys(agentDocument.shape).filter((name) => name !== 'suspension');
    expect(Object.keys(document ?? {})).to.deep.equal(order);
  });

  it('drops score and tier at the hour evidence expires', () => {
    const document = documentAfter(agentEvents(...verified, [daysAfter(DAY_1, 50), rescore()]));
    expect(document?.verification).to.include({ trustScore: 0, tier: 'unverified', validUntil: null });
  });

  it('counts outcomes, with the lower bound of what they prove', () => {
    const [completed, failed, record] = [
      jobEvent('JobCompleted', DAY_3),
      jobEvent('JobFailed', DAY_3),
      jobEvent('RecordAsserted', DAY_3),
    ];
    expect(documentAfter(agentEvents(published))?.outcomes.completionRate).to.deep.equal({
      value: null,
      lowerBound95: null,
    });
    const document = documentAfter(
      agentEvents(published),
      completed,
      completed,
      completed,
      failed,
      record,
      record,
      // Of a test payment, or of an account of the agency's own.
      jobEvent('JobCompleted', DAY_3, {}),
      jobEvent('JobFailed', DAY_3, {}),
      jobEvent('RecordAsserted', DAY_3, {}),
    );
    expect(document?.outcomes).to.deep.equal({
      jobsCompleted: 3,
      jobsFailed: 1,
      recordsCreated: 2,
      completionRate: { value: 0.75, lowerBound95: 0.3006 },
    });
  });

  it('marks a suspended agent, and takes the mark off again', () => {
    const suspend = [DAY_2, { type: 'SuspendAgent', reason: 'Silent.' }] as const;
    const suspended = documentAfter(agentEvents(published, suspend));
    expect(suspended?.suspension).to.deep.equal({ since: DAY_2, reason: 'Silent.' });
    expect(fieldsAfter(agentEvents(published, suspend)).status).to.equal('suspended');
    const resumed = documentAfter(agentEvents(published, suspend, [DAY_3, { type: 'ResumeAgent' }]));
    expect(JSON.stringify(resumed)).not.to.contain('suspension');
  });

  it('drops a retired agent, and stays without it when its last job ends', () => {
    const history = agentEvents(published, [DAY_2, { type: 'RetireAgent', reason: 'Replaced.' }]);
    expect(documentAfter(history, jobEvent('JobCompleted', DAY_3))).to.equal(undefined);
  });

  it('is filtered and sorted by what the document says', () => {
    expect(fieldsAfter(agentEvents(...verified))).to.deep.equal({
      status: 'listed',
      nameKey: 'invoice matcher',
      agency: 'ledgerworks',
      tier: 'listed',
      pricingModel: 'per_task',
      methodologyVersion: '1.0',
      categories: ['finance'],
      capabilities: ['invoice-matching'],
      trustScore: 50,
      autonomyLevel: 3,
      priceCents: 4_900,
      publishedMs: Date.parse(DAY_1),
      validUntilMs: Date.parse(daysAfter(DAY_1, 50)),
    });
  });
});
