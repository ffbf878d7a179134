/** TLS to servers that are called by an address or by a name: what the server hears, and what its certificate is held to. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createServer, type Server } from 'node:tls';
import { credentials } from '@grpc/grpc-js';
import { expect } from 'chai';
import { tellNoAddressAsName } from '../../../infra/eventstoredb/server-names.ts';
import { selfSigned } from '../../support/eventstoredb/certificate.ts';
import { listenAnywhere } from '../../support/ports.ts';
import { rejectionOf } from '../../support/rejection.ts';

describe('TLS of gRPC', () => {
  const { certificatePem, privateKeyPem } = selfSigned();
  const sockets: Socket[] = [];
  let server: Server;
  let port: number;
  before(async () => {
    tellNoAddressAsName();
    server = createServer({ cert: certificatePem, key: privateKeyPem, ALPNProtocols: ['h2'] });
    port = await listenAnywhere(server);
  });
  after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  /** Always to the same server, whatever it is called. */
  async function call(name: string): Promise<void> {
    const trusting = credentials.createSsl(Buffer.from(certificatePem));
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    await once(socket, 'connect');
    await trusting._createSecureConnector({ scheme: 'dns', path: `${name}:${port}` }, {}).connect(socket);
  }

  /** False for nothing. */
  async function heardOn(called: Promise<void>): Promise<string | false> {
    const [[socket]] = await Promise.all([once(server, 'secureConnection'), called]);
    return socket.servername;
  }

  it('tells a server its name, and no address', async () => {
    expect(await heardOn(call('localhost'))).to.equal('localhost');
    expect(await heardOn(call('127.0.0.1'))).to.equal(false);
  });

  it('holds the certificate to the address as to the name', async () => {
    for (const name of ['127.0.0.2', 'other.example'])
      expect(await rejectionOf(call(name)))
        .to.be.instanceOf(Error)
        .with.property('code', 'ERR_TLS_CERT_ALTNAME_INVALID');
  });
});
