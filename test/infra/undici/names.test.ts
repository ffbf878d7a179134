/** Names of receivers, of a DNS server on this machine: what is asked of it, and how often. */
import { expect } from 'chai';
import { createNames, NameNotFound, type Names } from '../../../infra/undici/names.ts';
import { type NameServer, startNameServer } from '../../support/name-server.ts';
import { rejectionOf } from '../../support/rejection.ts';
import { until } from '../../support/until.ts';

const UNTOLD = 'untold.example';
/** IPv4 and IPv6. */
const QUESTIONS_OF_NAME = 2;

describe('Names', function () {
  this.timeout(60_000);
  let server: NameServer;
  let names: Names;
  /** Every question that came to the server. */
  let questions: string[];
  beforeEach(async () => {
    questions = [];
    server = await startNameServer((name) => {
      questions.push(name);
      return name === UNTOLD ? Infinity : 0;
    });
    names = createNames({ servers: [server.address] });
  });
  afterEach(async () => {
    names.close();
    await server.close();
  });

  it('are asked for once, however many want to know at once and while it is known', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => names.addressesOf('told.example')));
    for (const addresses of [...all, await names.addressesOf('told.example')])
      expect(addresses).to.deep.equal(['127.0.0.1']);
    expect(questions).to.have.lengthOf(QUESTIONS_OF_NAME);
  });

  it('that nobody tells are not asked for again at once', async () => {
    expect(await rejectionOf(names.addressesOf(UNTOLD))).to.be.instanceOf(NameNotFound);
    const asked = questions.length;
    expect(await rejectionOf(names.addressesOf(UNTOLD))).to.be.instanceOf(NameNotFound);
    expect(questions).to.have.lengthOf(asked);
  });

  it('are given up when nobody wants them any more', async () => {
    const wanted = rejectionOf(names.addressesOf(UNTOLD));
    await until('it is asked for', () => questions.length > 0);
    names.close();
    expect(await wanted).to.be.instanceOf(NameNotFound);
    expect(questions.length).to.be.at.most(QUESTIONS_OF_NAME);
  });
});
