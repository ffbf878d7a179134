import { expect } from 'chai';
import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { startApi } from '../support/api.ts';
import { startJobApi } from '../support/job-flows.ts';
import { until } from '../support/until.ts';

describe('a service that stops', () => {
  it('refuses nobody who keeps a connection: each has an answer that says that it is the last', async () => {
    const api = await startApi({ farewellMs: 2_000 });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const first = await ask(agent, `${api.url}/healthz`);
    expect(first.headers.connection).to.equal('keep-alive');
    const closed = api.close();
    const last = await ask(agent, `${api.url}/healthz`);
    expect([last.statusCode, last.headers.connection]).to.deep.equal([200, 'close']);
    await closed;
    agent.destroy();
  });

  it('answers whoever waits for a job at once, with the job as it is', async () => {
    const api = await startJobApi();
    const jobId = await api.draft();
    const waiting = api.get(`/v1/jobs/${jobId}?wait=60`, api.buyer);
    await until('somebody waits', () => api.services.jobWatch.waiting() === 1);
    const since = performance.now();
    await api.close();
    const answer = await waiting;

    expect([answer.status, answer.body.data['status']]).to.deep.equal([200, 'draft']);
    expect(performance.now() - since).to.be.below(5_000);
  });
});

async function ask(agent: Agent, url: string): Promise<IncomingMessage> {
  const [answer]: IncomingMessage[] = await once(get(url, { agent }), 'response');
  if (answer === undefined) throw new Error('no answer');
  await once(answer.resume(), 'end');
  return answer;
}
