/** What the embedded log gives back is answered as it was the first time. */
import { expect } from 'chai';
import { openSqliteLog, type SqliteLog } from '../../infra/sqlite/event-store.ts';
import { AGENT, type JobApi, startJobApi } from '../support/job-flows.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';

describe('A trial on the embedded log', () => {
  let folder: TempFolder;
  let log: SqliteLog;
  let api: JobApi;
  before(async () => {
    folder = await tempFolder();
    log = await openSqliteLog({ path: folder.file('log.db') });
    api = await startJobApi({ engines: { events: log.store } });
  });
  after(async () => {
    await api.close();
    await folder.remove();
  });

  it('is answered to the byte alike when it is asked for again, whatever the order of its notes', async () => {
    const asked = {
      agent: AGENT,
      brief: 'Do it.',
      inputs: { rows: [{ to: 2, from: 1 }], month: '2026-10' },
      metadata: { project: 'Z', costCentre: 'FIN-7' },
    };
    const ask = () =>
      api.post('/v1/trials', asked, { key: api.buyer.key, headers: { 'Idempotency-Key': 'notes' } });
    const first = await ask();
    const again = await ask();

    expect(again.headers.get('Idempotent-Replayed')).to.equal('true');
    expect(again.text).to.equal(first.text);
  });
});
