/** What happens at one node is told by a worker to whom another node was told of, whoever dies meanwhile. */
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { engineSets, type RunningEngines, withEngines } from '../support/engine-sets.ts';
import { ask, type Fleet, startFleet } from '../support/fleet.ts';
import { type HttpsSink, type ReceivedPost, startHttpsSink } from '../support/https-sink.ts';
import { until } from '../support/until.ts';

const TRIALS = 20;
/** A killed worker's messages are handed out again a minute after it took them; and more, on a busy machine. */
const HANDED_OUT_AGAIN_MS = 150_000;
const TOLD_MS = 120_000;

for (const engines of engineSets.filter(({ isShared }) => isShared)) {
  withEngines(`Notifications of a fleet on ${engines.name}`, engines, (startEngines) => {
    let running: RunningEngines;
    let sink: HttpsSink;
    let pauseMs = 0;
    let fleet: Fleet;
    let buyers = 0;

    before(async function () {
      this.timeout(400_000);
      running = await startEngines();
      sink = await startHttpsSink(() => pauseMs);
      fleet = await startFleet({ ...running.settings, ...sink.env }, ['projector', 'worker', 'api', 'api'], {
        notifiesThisMachine: true,
      });
    });
    after(async () => {
      await fleet.stop();
      await sink.close();
      await running.close();
    });

    /** A buyer who was made known to the first node, and buys at the second one. */
    async function newBuyer() {
      const { key } = await fleet.newKey(`buyer-${(buyers += 1)}`, 'trials:create,webhooks:manage');
      const [first = '', second = ''] = fleet.urls;
      const listen = async (): Promise<{ readonly id: string; readonly secret: string }> => {
        const made = await ask(`${first}/v1/webhook-endpoints`, key, { url: sink.url });
        return JSON.parse(await made.text()).data;
      };
      const buy = async (): Promise<string> => {
        const made = await ask(`${second}/v1/trials`, key, { agent: 'invoice-matcher', brief: 'Match.' });
        expect(made.status).to.equal(201);
        return JSON.parse(await made.text()).data.id;
      };
      return { key, listen, buy };
    }
    const toldOf = (jobId: string): readonly ReceivedPost[] =>
      sink.received.filter(({ body }) => JSON.parse(body).data.id === jobId);

    it('are signed with the secret that another node has shown', async () => {
      const { listen, buy } = await newBuyer();
      const { secret } = await listen();
      const jobId = await buy();
      await until('it is told', () => toldOf(jobId).length > 0, TOLD_MS);
      const [{ headers, body } = { headers: {}, body: '' }] = toldOf(jobId);
      const told = new Webhook(secret).verify(body, {
        'webhook-id': String(headers['webhook-id']),
        'webhook-timestamp': String(headers['webhook-timestamp']),
        'webhook-signature': String(headers['webhook-signature']),
      });
      expect(told).to.deep.include({ type: 'job.drafted' });
    }).timeout(400_000);

    it('reach an endpoint that was made while nobody kept the views', async () => {
      const { listen, buy } = await newBuyer();
      await fleet.lives[0]?.kill();
      await listen();
      const jobId = await buy();
      // Longer than the worker waits for the views.
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      fleet.start('projector');
      await until('it is told', () => toldOf(jobId).length > 0, TOLD_MS);
    }).timeout(400_000);

    it('are all sent though the worker is killed midway, each under one id', async () => {
      const { listen, buy } = await newBuyer();
      await listen();
      pauseMs = 500;
      const before = sink.received.length;
      const jobs = await Promise.all(Array.from({ length: TRIALS }, buy));
      await until('the first ones are on their way', () => sink.received.length > before, TOLD_MS);
      await fleet.lives[1]?.kill();
      pauseMs = 0;
      fleet.start('worker');
      await until('each is told', () => jobs.every((id) => toldOf(id).length > 0), HANDED_OUT_AGAIN_MS);
      for (const jobId of jobs) {
        const ids = toldOf(jobId).map(({ headers }) => headers['webhook-id']);
        expect(new Set(ids)).to.have.property('size', 1);
      }
    }).timeout(400_000);
  });
}
