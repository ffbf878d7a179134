import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { expect } from 'chai';
import { listenAnywhere } from '../support/ports.ts';
import { isOldCaddy, type Proxy, startProxy, withCaddy } from '../support/proxy.ts';
import { until } from '../support/until.ts';

type Answer = (req: IncomingMessage, res: ServerResponse) => void;

/** A process behind the proxy, and the requests that have reached it. */
interface Upstream {
  readonly address: string;
  readonly reached: string[];
  readonly stop: () => Promise<void>;
}

const answers: Answer = (_req, res) => void res.end('answered');
const answersWithBody: Answer = (req, res) => void req.pipe(res);
/** As a process that is killed before it answers. */
const dies: Answer = (req) => void req.socket.destroy();

async function startUpstream(answer: Answer): Promise<Upstream> {
  const reached: string[] = [];
  const server = createServer((req, res) => {
    reached.push(`${req.method} ${req.url}`);
    answer(req, res);
  });
  const address = `127.0.0.1:${await listenAnywhere(server)}`;
  return { address, reached, stop: () => stop(server) };
}

async function stop(server: Server): Promise<void> {
  if (!server.listening) return;
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
}

withCaddy('the proxy before the api processes', () => {
  const running: { readonly stop: () => Promise<void> }[] = [];
  afterEach(async () => {
    for (const { stop } of running.splice(0)) await stop();
  });

  async function upstream(answer: Answer): Promise<Upstream> {
    const started = await startUpstream(answer);
    running.push(started);
    return started;
  }
  async function proxyTo(...upstreams: readonly Upstream[]): Promise<Proxy> {
    const started = await startProxy(upstreams.map(({ address }) => address));
    running.push(started);
    return started;
  }

  it('asks another process when one dies over a GET', async () => {
    const dying = await upstream(dies);
    const living = await upstream(answers);
    const proxy = await proxyTo(dying, living);

    for (let count = 0; count < 20; count += 1) {
      const response = await fetch(`${proxy.url}/v1/agents`);
      expect([response.status, await response.text()]).to.deep.equal([200, 'answered']);
    }
    expect(dying.reached, 'it was tried at all').to.not.be.empty;
  });

  for (const method of ['POST', 'PUT', 'DELETE']) {
    it(`sends a ${method} that may have arrived to nobody else`, async () => {
      const [one, other] = [await upstream(dies), await upstream(dies)];
      const proxy = await proxyTo(one, other);
      const response = await fetch(`${proxy.url}/v1/trials`, { method });

      expect(response.status).to.equal(503);
      expect([...one.reached, ...other.reached]).to.deep.equal([`${method} /v1/trials`]);
    });
  }

  for (const body of ['', '{"agent":"invoice-matcher"}']) {
    it(`sends a POST ${body && 'with a body '}that could not be sent to one process to another`, function () {
      if (body !== '' && isOldCaddy()) {
        process.stderr.write(
          'a POST with a body is not tested: Caddy before 2.7 has no body for a second try\n',
        );
        this.skip();
      }
      return sendsElsewhere(body);
    });
  }

  async function sendsElsewhere(body: string): Promise<void> {
    const gone = await upstream(answers);
    const living = await upstream(answersWithBody);
    const proxy = await proxyTo(gone, living);
    await gone.stop();

    for (let count = 0; count < 10; count += 1) {
      const response = await fetch(`${proxy.url}/v1/trials`, { method: 'POST', body });
      expect([response.status, await response.text()]).to.deep.equal([200, body]);
    }
  }

  it('answers in our envelope, with a time to come back, when no process is there', async () => {
    const gone = await upstream(answers);
    const proxy = await proxyTo(gone);
    await gone.stop();
    const response = await fetch(`${proxy.url}/v1/agents`);

    expect(response.status).to.equal(503);
    expect(response.headers.get('content-type')).to.equal('application/json');
    expect(Number(response.headers.get('retry-after'))).to.be.greaterThan(0);
    expect(await response.json())
      .to.deep.include({ data: null, meta: {} })
      .and.nested.include({ 'error.code': 'unavailable' });
  });

  it('hands on what a process answers, a 503 included', async () => {
    const away = await upstream((_req, res) => void res.writeHead(503, { 'Retry-After': '7' }).end('ours'));
    const proxy = await proxyTo(away);
    const response = await fetch(`${proxy.url}/v1/agents`);

    expect([response.status, response.headers.get('retry-after'), await response.text()]).to.deep.equal([
      503,
      '7',
      'ours',
    ]);
    expect(away.reached).to.have.length(1);
  });

  it('says itself where a request comes from', async () => {
    const living = await upstream((req, res) => void res.end(String(req.headers['x-forwarded-for'])));
    const proxy = await proxyTo(living);
    const response = await fetch(`${proxy.url}/v1/agents`, { headers: { 'X-Forwarded-For': '203.0.113.7' } });

    expect(await response.text()).to.equal('127.0.0.1');
  });

  it('passes a file on while it comes', async () => {
    let arrived = '';
    const living = await upstream((req, res) => {
      req.setEncoding('utf8').on('data', (text: string) => (arrived += text));
      req.on('end', () => res.end('stored'));
    });
    const proxy = await proxyTo(living);
    const upload = request(`${proxy.url}/v1/provider/jobs/j/artifacts/a`, { method: 'PUT' });
    upload.write('first part, ');
    await until('its beginning arrives', () => arrived === 'first part, ');
    upload.end('second part');
    const [response] = await once(upload, 'response');

    expect(response.statusCode).to.equal(200);
    expect(arrived).to.equal('first part, second part');
    response.resume();
  });

  it('waits for the first bytes of an answer, not for its end', async () => {
    const living = await upstream((_req, res) => void res.write('first part, '));
    const proxy = await proxyTo(living);
    const controller = new AbortController();
    const response = await fetch(`${proxy.url}/artifacts/a`, { signal: controller.signal });
    const first = await response.body?.getReader().read();

    expect(new TextDecoder().decode(first?.value)).to.equal('first part, ');
    controller.abort();
  });
});
