/** Cursors of mirrors whose market has another log than when they were made: it was moved, or set back. */
import { expect } from 'chai';
import { memoryEventStore } from '../contract/memory/event-store.ts';
import { type DataApi, startDataApi } from '../support/data-api.ts';
import { withOtherPositions } from '../support/other-positions.ts';

const CHANGES = '/api/v1/changes?dataset=tools';
const rows = [{ name: 'one' }, { name: 'two' }];

describe('GET /api/v1/changes with a cursor of another log', () => {
  const apis: DataApi[] = [];
  after(() => Promise.all(apis.map((api) => api.close())));

  async function begun(options?: Parameters<typeof startDataApi>[0]): Promise<DataApi> {
    const api = await startDataApi(options);
    apis.push(api);
    return api;
  }
  async function cursorOf(api: DataApi): Promise<string> {
    await api.importInto('tools', rows);
    return encodeURIComponent(String((await api.read(CHANGES)).body.meta['cursor']));
  }
  async function answerTo(api: DataApi, cursor: string) {
    const { status, body } = await api.read(`${CHANGES}&after=${cursor}`);
    return [status, body.error?.code];
  }

  it('goes on in its own', async () => {
    const api = await begun();
    expect(await answerTo(api, await cursorOf(api))).to.deep.equal([200, undefined]);
  });

  it('is told to begin anew where other events stand at its place, or none', async () => {
    const before = await begun();
    await before.importInto('models', [{ id: 'a/b', name: 'more' }]);
    const cursor = await cursorOf(before);
    // Its rows are behind the place of the cursor, and in front of it: it would never hear of some of them.
    const longer = await begun();
    for (const name of ['one', 'two', 'three']) await longer.importInto('directory/mcp/servers', [{ name }]);
    await longer.importInto('tools', rows);
    expect(await answerTo(longer, cursor)).to.deep.equal([410, 'cursor_expired']);
    expect(await answerTo(await begun(), cursor), 'of a log that is shorter').to.deep.equal([
      410,
      'cursor_expired',
    ]);
  });

  it('is told to begin anew where positions have another form', async () => {
    const cursor = await cursorOf(await begun());
    const moved = await begun({ engines: { events: withOtherPositions(memoryEventStore()) } });
    const now = await cursorOf(moved);
    expect(await answerTo(moved, cursor)).to.deep.equal([410, 'cursor_expired']);
    expect(await answerTo(moved, now)).to.deep.equal([200, undefined]);
  });

  it('begins at the beginning where it had read nothing', async () => {
    const empty = encodeURIComponent(String((await (await begun()).read(CHANGES)).body.meta['cursor']));
    const other = await begun();
    await other.importInto('tools', rows);
    const { body } = await other.read(`${CHANGES}&after=${empty}`);
    expect(body.data.length).to.equal(2);
  });
});
