import { expect } from 'chai';
import { createDigest } from '../../src/operations/digest.ts';
import { createCommandRunner } from '../../src/commanding/command-runner.ts';
import { warmUp } from '../../src/composition/warm-up.ts';
import { type JobApi, startJobApi } from '../support/job-flows.ts';
import { rejectionOf } from '../support/rejection.ts';

describe('the warm-up after a start', () => {
  let api: JobApi;
  let mandateStream: string;
  before(async () => {
    api = await startJobApi();
    await api.draft();
    mandateStream = `mandate-${api.buyer.mandateId}`;
  });
  after(() => api.close());

  const justStarted = () => ({ ...api.services, commands: createCommandRunner(api.services.events) });

  it('has read the mandate that spent last, so that its next spend waits for no reading', async () => {
    const services = justStarted();
    expect(services.commands.knownRevision(mandateStream)).to.equal(-1);

    await warmUp(services, new AbortController().signal);

    const seen = api.services.commands.knownRevision(mandateStream);
    expect(services.commands.knownRevision(mandateStream)).to.equal(seen).and.above(0);
  });

  it('has made the digest, so that its first reader does not wait either', async () => {
    let made = 0;
    const digest = createDigest(async () => `digest ${(made += 1)}`, Date.now);

    await warmUp({ ...justStarted(), digest }, new AbortController().signal);

    expect(made).to.equal(1);
    expect(await digest.current()).to.equal('digest 1');
  });

  it('asks the engines for nothing more once it is told to stop', async () => {
    const services = justStarted();
    await warmUp(services, AbortSignal.abort());

    expect(services.commands.knownRevision(mandateStream)).to.equal(-1);
  });

  it('fails with what failed it, for the log of the process to tell', async () => {
    const broken = new Error('the views are away');
    const views = { ...api.services.views, page: () => Promise.reject(broken) };

    expect(await rejectionOf(warmUp({ ...justStarted(), views }, new AbortController().signal))).to.equal(
      broken,
    );
  });
});
