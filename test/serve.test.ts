import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { expect } from 'chai';
import { readConfig } from '../src/config.ts';
import { serve } from '../src/serve.ts';

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
