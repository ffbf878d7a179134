import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { expect } from 'chai';
import { openMarket } from '../../src/composition/app.ts';
import { type Config, readConfig, WrongSetting } from '../../src/settings/config.ts';
import { type OpenApp, type Running, serve } from '../../src/composition/serve.ts';
import { rejectionOf } from '../support/rejection.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';

describe('serving a market to strangers', () => {
  let folder: TempFolder;
  let running: Running | null = null;
  beforeEach(async () => void (folder = await tempFolder()));
  afterEach(async () => {
    await running?.stop();
    running = null;
    await folder.remove();
  });

  const start = async (
    environment: Readonly<Record<string, string>>,
    print: (line: string) => void = () => {},
    openApp: OpenApp = openMarket,
  ): Promise<void> => {
    running = await serve(
      readConfig({ PORT: '0', LOG_LEVEL: 'silent', DATA_DIR: folder.path, ...environment }),
      openApp,
      {
        seed: true,
        print,
        signal: new AbortController().signal,
      },
    );
  };

  it('is refused where nobody has said how it is paid', async () => {
    const failure = await rejectionOf(start({ BASE_URL: 'https://bourse.example' }));
    expect(failure).to.be.instanceOf(WrongSetting);
    expect(String(failure)).to.include('set CHECKOUT=none');
  });

  it('shows no demonstration key, makes none, and says why', async () => {
    const printed: string[] = [];
    const settings = { BASE_URL: 'https://bourse.example', CHECKOUT: 'none' };
    await start(settings, (line) => printed.push(line));
    const answer = await fetch(`http://127.0.0.1:${running?.port}/v1/agents`);
    const { data } = JSON.parse(await answer.text());

    expect(data).to.deep.equal([]);
    expect(printed.join('\n')).to.not.match(/brs_ak_/);
    expect(printed[0]).to.match(/^Nothing was added: demonstration data, .* BASE_URL is https:/);
  });

  it('shows a demonstration key once it listens, and says where it answers once the key works', async () => {
    let url = '';
    const openApp: OpenApp = (config, log) => {
      url = `http://127.0.0.1:${config.port}`;
      return openMarket(config, log);
    };
    const asked: Promise<number>[] = [];
    const ask = (path: string, headers: Readonly<Record<string, string>> = {}): void => {
      asked.push(fetch(url + path, { headers }).then(({ status }) => status));
    };
    let shown = '';
    const print = (line: string): void => {
      const key = /^ {2}(brs_ak_\w+)$/.exec(line)?.[1];
      if (key !== undefined) ask('/v1/agents/invoice-matcher');
      shown = key ?? shown;
      if (line.startsWith('Bourse answers at')) ask('/v1/key', { Authorization: `Bearer ${shown}` });
    };
    await start({}, print, openApp);
    expect(await Promise.all(asked)).to.deep.equal([200, 200]);
  });

  it('says what a process that answers nobody tells with its token alone', async () => {
    const told = async (settings: Readonly<Record<string, string>>): Promise<string> => {
      const printed: string[] = [];
      await start({ ROLE: 'projector', ...settings }, (line) => printed.push(line));
      await running?.stop();
      running = null;
      return printed.join('\n');
    };
    expect(await told({}))
      .to.include('/readyz')
      .and.not.include('METRICS_TOKEN');
    const elsewhere = { BASE_URL: 'https://bourse.example', CHECKOUT: 'none' };
    expect(await told(elsewhere))
      .to.include('/readyz')
      .and.include('METRICS_TOKEN');
    expect(await told({ TRUST_PROXY_HOPS: '1' })).to.include('METRICS_TOKEN');
  });

  it('is for this machine alone, unless HOST says otherwise', async () => {
    const elsewhere = Object.values(networkInterfaces())
      .flat()
      .find((one) => one !== undefined && one.family === 'IPv4' && !one.internal)?.address;
    await start({});
    expect((await fetch(`http://127.0.0.1:${running?.port}/healthz`)).status).to.equal(200);
    // Another address of loopback stands for those of other networks where this machine has none.
    const url = `http://${elsewhere ?? '127.0.0.2'}:${running?.port}/healthz`;
    expect(await rejectionOf(fetch(url))).to.be.instanceOf(TypeError);
    await running?.stop();

    await start({ HOST: '0.0.0.0' });
    const reached = `http://${elsewhere ?? '127.0.0.2'}:${running?.port}/healthz`;
    expect((await fetch(reached)).status).to.equal(200);
  });
});

describe('serving on a port of the system’s choice', () => {
  it('keeps it while the market is opened, and gives it back when that fails', async () => {
    const config = readConfig({ PORT: '0', LOG_LEVEL: 'silent' });
    const taker = createServer();
    let taking: unknown;
    let port = 0;
    const openApp = async (given: Config): Promise<never> => {
      port = given.port;
      taking = await rejectionOf(once(taker.listen(port, config.host), 'listening'));
      throw new Error('not today');
    };
    const serving = serve(config, openApp, {
      seed: false,
      print: () => {},
      signal: new AbortController().signal,
    });

    expect(await rejectionOf(serving)).to.match(/not today/);
    expect(taking).to.include({ code: 'EADDRINUSE' });
    await once(taker.listen(port, config.host), 'listening');
    taker.close();
  });
});

describe('serving on a port that somebody else has', () => {
  let other: Server;
  before(async () => {
    other = createServer().listen(0);
    await once(other, 'listening');
  });
  after(() => other.close());

  it('fails before anything is made: a demonstration key that is shown once is not lost', async () => {
    const address = other.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    let isOpened = false;
    const openApp = (): never => {
      isOpened = true;
      throw new Error('too late');
    };
    const serving = serve(readConfig({ PORT: String(port) }), openApp, {
      seed: true,
      print: () => {},
      signal: new AbortController().signal,
    });
    const failure = await serving.then(
      () => undefined,
      (error: unknown) => error,
    );

    expect(failure).to.include({ code: 'EADDRINUSE', port });
    expect(isOpened).to.equal(false);
  });
});
